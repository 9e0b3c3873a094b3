//! The members of a family in a prompt.

mod support;

use sketchbook::brief::Brief;

#[test]
fn a_family_has_as_many_members_as_the_prompt_says() {
    let people = |prompt: &str| -> Vec<(String, usize)> {
        let wish = Brief::read(&support::page(prompt)).unwrap().wish;
        let subjects = wish.subjects.into_iter();
        subjects.map(|subject| (subject.label, subject.count)).collect()
    };
    let one_each =
        |labels: &[&str]| -> Vec<(String, usize)> { labels.iter().map(|label| ((*label).to_string(), 1)).collect() };
    assert_eq!(
        people("A family of four, a mother, a father, a girl and a boy"),
        one_each(&["woman", "man", "girl", "boy"])
    );
    assert_eq!(
        people("A family of three having a picnic")[..3],
        one_each(&["woman", "man", "girl"])
    );
    assert_eq!(people("A family of five ducks"), [("duck".to_string(), 5)]);
    assert_eq!(people("A family of ducks"), [("duck".to_string(), 3)]);
}
