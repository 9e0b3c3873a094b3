//! Forms with a file: they have the fields of the equivalent JSON body, with the file in place of its upload id or
//! address.
use linepress_imaging::FORMATS;
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{Object, ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::schema::{object, without_null};
use linepress_core::books::NewCoverImage;
use linepress_core::pages::{NewImage, NewImport};

macro_rules! form_type {
    ($(#[doc = $doc:literal] $name:ident = $body:ty;)*) => {$(
        #[doc = $doc]
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                form_like(object(<$body>::schema()), $doc.trim()).into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

// Each form with the equivalent JSON body.
form_type! {
    /// Finished artwork that becomes a page.
    ImportForm = NewImport;
    /// Finished artwork that replaces an image.
    ImageForm = NewImage;
    /// Finished artwork that replaces the image of a cover.
    CoverImageForm = NewCoverImage;
}

/// The schema of a form with the fields of this body.
fn form_like(body: Object, description: &str) -> Object {
    let mut form = body;
    form.description = Some(description.into());
    for place in ["upload_id", "image_url"] {
        form.properties.remove(place);
    }
    // A form field is either present or missing; it cannot be null.
    form.properties.values_mut().for_each(without_null);
    form.properties.insert("image".into(), image().into());
    form.required.insert(0, "image".into());
    form
}

fn image() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .description(Some(format!("A {FORMATS}.")))
        .build()
}
