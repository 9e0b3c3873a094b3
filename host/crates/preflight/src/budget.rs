//! What a check may cost: a small file can ask for any amount of work.
use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{DecompressError, Document, Error, LoadOptions, ObjectId, Stream};

/// What streams of objects may hold, each.
const MOST_OF_OBJECT_STREAM: usize = 64 << 20;
/// Objects of a file: a book has a few for each page.
const MOST_OBJECTS: usize = 2_000_000;
/// Operators and operands of all pages, those of a form as often as it is placed.
const MOST_STEPS: u64 = 100_000_000;
/// What it costs to find a font, a picture or a form, in steps; a form is placed before its operators cost anything.
pub(crate) const LOOK_UP: u64 = 50;
/// Decompressed operators of all pages, in bytes.
const MOST_CONTENT: usize = 512 << 20;
/// Of them, what one page or form may have.
const MOST_OF_ONE: usize = 64 << 20;
/// Of them, what is remembered, because a form may be on each page.
const MOST_REMEMBERED: usize = 32 << 20;
/// How deep forms may stand in each other, and how often a page may save its state.
pub(crate) const MOST_FORMS: usize = 32;
pub(crate) const MOST_STATES: usize = 10_000;

/// The file asks for more work than a check is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooComplex(pub &'static str);

/// Reads a document; the outer error says that it asks for too much, the inner one that it is damaged.
pub(crate) fn load(pdf: &[u8]) -> Result<Result<Document, Error>, TooComplex> {
    const TOO_MANY: TooComplex = TooComplex("it holds too many objects");
    let loaded = Document::load_mem_with_options(pdf, LoadOptions::with_max_decompressed_size(MOST_OF_OBJECT_STREAM));
    match loaded {
        Err(Error::Decompress(DecompressError::MemoryLimitExceeded { .. })) => Err(TOO_MANY),
        Ok(document) if document.objects.len() > MOST_OBJECTS => Err(TOO_MANY),
        loaded => Ok(loaded),
    }
}

/// What is left.
pub(crate) struct Budget {
    steps: u64,
    content: usize,
    remembered: HashMap<ObjectId, Rc<[u8]>>,
    free: usize,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self {
            steps: MOST_STEPS,
            content: MOST_CONTENT,
            remembered: HashMap::new(),
            free: MOST_REMEMBERED,
        }
    }

    /// Takes one operator or operand, or whatever costs about as much.
    pub(crate) fn step(&mut self) -> Result<(), TooComplex> {
        self.steps(1)
    }

    pub(crate) fn steps(&mut self, steps: u64) -> Result<(), TooComplex> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.ok_or(TooComplex("its pages have too many operators"))?;
        Ok(())
    }

    /// The operators in a stream; nothing where they cannot be decompressed.
    pub(crate) fn content(&mut self, stream: &Stream) -> Result<Option<Vec<u8>>, TooComplex> {
        const TOO_LONG: TooComplex = TooComplex("the operators of its pages are too long");
        let most = MOST_OF_ONE.min(self.content);
        match stream.get_plain_content_with_limit(most) {
            Ok(content) => {
                self.content -= content.len();
                Ok(Some(content))
            }
            Err(Error::Decompress(
                DecompressError::MemoryLimitExceeded { .. } | DecompressError::TooManyFilters { .. },
            )) => Err(TOO_LONG),
            Err(_) => Ok(None),
        }
    }

    /// The operators of a form, which may be placed again and again.
    pub(crate) fn form(&mut self, id: ObjectId, stream: &Stream) -> Result<Option<Rc<[u8]>>, TooComplex> {
        if let Some(content) = self.remembered.get(&id) {
            return Ok(Some(content.clone()));
        }
        let Some(content) = self.content(stream)? else {
            return Ok(None);
        };
        let content: Rc<[u8]> = content.into();
        if let Some(left) = self.free.checked_sub(content.len()) {
            self.free = left;
            self.remembered.insert(id, content.clone());
        }
        Ok(Some(content))
    }
}
