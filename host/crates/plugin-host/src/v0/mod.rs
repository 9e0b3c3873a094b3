//! The host's side of the contract `wit/v0`: generated bindings, and conversions between them and the host's own types.
//! No generated type of a world is used outside this folder. Packages that have not changed since are also part of the
//! next version, so the folder of that uses the types in [`host`].
pub(super) mod image;
pub(super) mod layout;
pub(super) mod planner;
pub(super) mod review;
pub(super) mod services;
pub(super) mod vocabulary;

use linepress_model::{Aspect, Audience};

use self::host::linepress::types::types;
use crate::contract::{CharacterSketch, Media};

/// The parts that all worlds share: the host's interfaces, and the common types of the contract.
pub(super) mod host {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host"],
        inline: "
            package linepress:surroundings;
            world surroundings {
                import linepress:types/types@0.1.0;
                import linepress:host/log@0.1.0;
                import linepress:host/config@0.1.0;
                import linepress:host/progress@0.1.0;
            }
        ",
    });
}

impl From<Aspect> for types::Aspect {
    fn from(aspect: Aspect) -> Self {
        match aspect {
            Aspect::Square => Self::Square,
            Aspect::Portrait => Self::Portrait,
            Aspect::Landscape => Self::Landscape,
        }
    }
}

impl From<types::Aspect> for Aspect {
    fn from(aspect: types::Aspect) -> Self {
        match aspect {
            types::Aspect::Square => Self::Square,
            types::Aspect::Portrait => Self::Portrait,
            types::Aspect::Landscape => Self::Landscape,
        }
    }
}

impl From<Audience> for types::Audience {
    fn from(audience: Audience) -> Self {
        match audience {
            Audience::Toddler => Self::Toddler,
            Audience::Child => Self::Child,
            Audience::Teen => Self::Teen,
            Audience::Adult => Self::Adult,
        }
    }
}

impl From<Media> for types::Media {
    fn from(Media { media_type, bytes }: Media) -> Self {
        Self { media_type, bytes }
    }
}

impl From<CharacterSketch> for types::Character {
    fn from(character: CharacterSketch) -> Self {
        let CharacterSketch {
            name,
            description,
            style,
            seed,
            reference,
        } = character;
        Self {
            name,
            description,
            style,
            seed,
            reference: reference.map(Into::into),
        }
    }
}
