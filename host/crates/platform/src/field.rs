//! The path of a field in a request, or of a part of a resource.
use std::borrow::Cow;
use std::fmt;

/// The path of a field in a request, or of a part of a resource, such as `pages[2].title`. It begins at a field of the
/// request's type. An interface whose requests contain that type in a field of their own adds that field in front.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field(Vec<Segment>);

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The name of a field.
    Name(Cow<'static, str>),
    /// The index of an item in a list, from 0.
    Index(usize),
}

/// Defines a constructor for each field that the code names.
macro_rules! fields {
    ($($name:ident)*) => {
        impl Field {$(
            #[doc = concat!("The field `", stringify!($name), "`.")]
            pub fn $name() -> Self {
                Self::named(stringify!($name))
            }
        )*}
    };
}

fields! {
    account
    allowed_networks
    alternative_text
    arguments
    aspect
    author
    body
    book
    book_plan
    caption
    character
    character_ids
    cover
    credit_cap
    credit_period
    credits
    description
    detail
    edition
    email
    expires_at
    follows
    format
    frame
    image
    image_url
    instruction
    isbn
    language
    line_weight
    name
    notes
    overlap_hours
    page
    page_count
    page_id
    page_ids
    pages
    part
    password
    plan
    position
    prompt
    reason
    role
    scopes
    source_upload_id
    style
    subtitle
    theme
    title
    upload_id
    variants
}

impl Field {
    /// A field whose name is known only at run time, such as one that a client sent.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![Segment::Name(name.into())])
    }

    /// Parses a path in the form in which it is displayed. Every text is the path of some field.
    pub fn parse(path: &str) -> Self {
        let mut segments = Vec::new();
        let parts = path.split('.').filter(|_| !path.is_empty());
        for (position, part) in parts.enumerate() {
            let (name, indexes) = match split_indexes(part) {
                // An index at the beginning belongs to no name. Elsewhere it is a name that looks like an index.
                ("", _) if position > 0 => (part, Vec::new()),
                split => split,
            };
            if !name.is_empty() || indexes.is_empty() {
                segments.push(Segment::Name(name.to_owned().into()));
            }
            segments.extend(indexes.into_iter().map(Segment::Index));
        }
        Self(segments)
    }

    /// The item with this index, from 0, of the list at this path.
    pub fn at(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The field `inner` of the object at this path.
    pub fn then(mut self, inner: Self) -> Self {
        self.0.extend(inner.0);
        self
    }

    /// The path from `outer` to this field; `None` if this field is `outer` itself, or is not below it.
    pub fn below(&self, outer: &Self) -> Option<Self> {
        let inner = self.0.strip_prefix(outer.0.as_slice())?;
        (!inner.is_empty()).then(|| Self(inner.to_vec()))
    }

    /// Returns true for `field` itself, and for everything below an item of the list `field`.
    pub fn is_at(&self, field: &Self) -> bool {
        let rest = self.0.strip_prefix(field.0.as_slice());
        matches!(rest, Some([] | [Segment::Index(_), ..]))
    }

    pub fn segments(&self) -> &[Segment] {
        &self.0
    }
}

/// Splits `pages[2]` into the name and its indexes.
fn split_indexes(part: &str) -> (&str, Vec<usize>) {
    let mut name = part;
    let mut indexes = Vec::new();
    while let Some((rest, index)) = split_last_index(name) {
        name = rest;
        indexes.insert(0, index);
    }
    (name, indexes)
}

fn split_last_index(part: &str) -> Option<(&str, usize)> {
    let (rest, digits) = part.strip_suffix(']')?.rsplit_once('[')?;
    let index = digits.parse::<usize>().ok()?;
    // A name that a client made up may look like an index, and is displayed as it was sent.
    (index.to_string() == digits).then_some((rest, index))
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Name(name) if position == 0 => formatter.write_str(name)?,
                Segment::Name(name) => write!(formatter, ".{name}")?,
                Segment::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_displayed_with_dots_and_brackets() {
        let page = Field::pages().at(2);
        assert_eq!(page.to_string(), "pages[2]");
        assert_eq!(page.clone().then(Field::title()).to_string(), "pages[2].title");
        let third = page.then(Field::character_ids()).at(0);
        assert_eq!(third.to_string(), "pages[2].character_ids[0]");
        assert_eq!(Field::book().then(third).to_string(), "book.pages[2].character_ids[0]");
    }

    #[test]
    fn a_parsed_path_equals_a_constructed_one() {
        let title = Field::pages().at(2).then(Field::title());
        assert_eq!(Field::parse("pages[2].title"), title);
        assert_eq!(Field::parse("book.pages[2].title"), Field::book().then(title));
        assert_eq!(Field::parse("cover.prompt"), Field::cover().then(Field::prompt()));
        assert_eq!(Field::parse(""), Field::default());
    }

    #[test]
    fn a_parsed_path_is_displayed_as_it_was_sent() {
        for path in [
            "",
            "title",
            "pages[2].title",
            "a[0][1].b",
            "[3].title",
            "page.[3]",
            "pages[02]",
            "pages[-1]",
            "pages[]",
            "a..b",
            ".",
            "a.",
            "]",
            "pages[99999999999999999999]",
        ] {
            assert_eq!(Field::parse(path).to_string(), path);
        }
    }

    #[test]
    fn the_rest_of_a_path_is_what_is_below_an_outer_field() {
        let title = Field::page().then(Field::title());
        assert_eq!(title.below(&Field::page()), Some(Field::title()));
        assert_eq!(title.below(&title), None);
        assert_eq!(title.below(&Field::pages()), None);
        assert_eq!(Field::position().below(&Field::page()), None);
    }

    #[test]
    fn a_list_includes_its_items_and_an_object_does_not_include_its_fields() {
        let title = Field::pages().at(1).then(Field::title());
        assert!(title.is_at(&title));
        assert!(title.is_at(&Field::pages()));
        assert!(!title.is_at(&Field::pages().at(1)));
        assert!(!title.is_at(&Field::pages().at(10)));
        assert!(!title.is_at(&Field::page()));
        assert!(!Field::cover().then(Field::prompt()).is_at(&Field::cover()));
    }
}
