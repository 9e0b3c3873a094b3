//! A change of the characters of a page or a book, made in a form that may show only some of them.
use super::{CharacterIds, CharacterLink, ReadyCharacter, ready};
use linepress_accounts::caller::Caller;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::CharacterId;

/// The characters to add and to remove. All others remain in their order, the most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub added: Vec<CharacterId>,
    pub removed: Vec<CharacterId>,
}

impl Selection {
    /// The difference between the characters that the form showed as chosen and those that are chosen now.
    pub fn between(shown: &[CharacterId], chosen: &[CharacterId]) -> Self {
        let without = |ids: &[CharacterId], others: &[CharacterId]| {
            let left = ids.iter().filter(|id| !others.contains(id));
            left.cloned().collect()
        };
        Self {
            added: without(chosen, shown),
            removed: without(shown, chosen),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// The ids of the characters after the change.
    pub fn apply_to(&self, present: &[CharacterId]) -> Vec<CharacterId> {
        let stays = present.iter().filter(|id| !self.removed.contains(id));
        let comes = self.added.iter().filter(|id| !present.contains(id));
        stays.chain(comes).cloned().collect()
    }

    /// The characters after the change. An added character must be ready; one that remains may be archived.
    pub(crate) async fn links(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        present: &[CharacterLink],
        field: &Field,
    ) -> Result<Vec<CharacterLink>> {
        let is_present = |id: &CharacterId| present.iter().any(|link| link.id == *id);
        let coming: Vec<CharacterId> = self.added.iter().filter(|id| !is_present(id)).cloned().collect();
        let coming = ready(tx, caller, &coming, field).await?;
        let stay = present.iter().filter(|link| !self.removed.contains(&link.id)).cloned();
        let links: Vec<CharacterLink> = stay.chain(coming.iter().map(ReadyCharacter::link)).collect();
        if links.len() > CharacterIds::MAX_CHARACTERS {
            let complaint = format!("may name at most {} characters", CharacterIds::MAX_CHARACTERS);
            return Err(Error::invalid_field(field.clone(), complaint));
        }
        Ok(links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<CharacterId> {
        names.iter().map(|name| CharacterId::from_text(*name)).collect()
    }

    #[test]
    fn characters_that_were_not_shown_remain_and_added_ones_come_last() {
        let selection = Selection::between(&ids(&["b", "c"]), &ids(&["d", "c"]));
        assert_eq!(
            selection.apply_to(&ids(&["old", "c", "b", "archived"])),
            ids(&["old", "c", "archived", "d"])
        );
        assert_eq!(selection.apply_to(&ids(&["d"])), ids(&["d"]));
        assert!(Selection::between(&ids(&["b", "c"]), &ids(&["c", "b"])).is_empty());
    }
}
