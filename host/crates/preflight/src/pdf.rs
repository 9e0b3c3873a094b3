//! Shortcuts to the objects of a PDF. An object that is missing or has the wrong type is `None`.
use lopdf::{Dictionary, Document, Object, ObjectId};

/// Follows a reference to its object. `None` for a missing object or `null`.
pub(crate) fn resolve<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Object> {
    let (_, object) = document.dereference(object).ok()?;
    (!object.is_null()).then_some(object)
}

pub(crate) fn get<'a>(document: &'a Document, dictionary: &'a Dictionary, key: &str) -> Option<&'a Object> {
    resolve(document, dictionary.get(key.as_bytes()).ok()?)
}

/// Returns the object as a dictionary, or the dictionary of a stream.
pub(crate) fn as_dictionary(object: &Object) -> Option<&Dictionary> {
    match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    }
}

pub(crate) fn dictionary<'a>(document: &'a Document, of: &'a Dictionary, key: &str) -> Option<&'a Dictionary> {
    as_dictionary(get(document, of, key)?)
}

pub(crate) fn array<'a>(document: &'a Document, of: &'a Dictionary, key: &str) -> Option<&'a [Object]> {
    get(document, of, key)?.as_array().ok().map(Vec::as_slice)
}

pub(crate) fn name<'a>(document: &'a Document, of: &'a Dictionary, key: &str) -> Option<&'a [u8]> {
    get(document, of, key)?.as_name().ok()
}

pub(crate) fn number(object: &Object) -> Option<f64> {
    let number = object.as_float().ok().map(f64::from)?;
    number.is_finite().then_some(number)
}

/// Returns exactly `COUNT` numbers, or `None` for a list of another length.
pub(crate) fn numbers<const COUNT: usize>(document: &Document, objects: &[Object]) -> Option<[f64; COUNT]> {
    let numbers: Option<Vec<f64>> = objects
        .iter()
        .take(COUNT + 1)
        .map(|object| resolve(document, object).and_then(number))
        .collect();
    numbers?.try_into().ok()
}

/// Returns an entry of one category of the resources, with its id if it is an indirect object.
pub(crate) fn resource<'a>(
    document: &'a Document,
    resources: &'a Dictionary,
    category: &str,
    name: &[u8],
) -> Option<(Option<ObjectId>, &'a Object)> {
    let entry = dictionary(document, resources, category)?.get(name).ok()?;
    let (id, object) = document.dereference(entry).ok()?;
    Some((id, object))
}

/// A name from the file, shortened and without control characters, so that it can be shown in a message.
pub(crate) fn display_name(name: &[u8]) -> String {
    const MAX_NAME_CHARS: usize = 60;
    let text = String::from_utf8_lossy(name);
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}
