//! The limits on the work of one check: a small file can demand any amount of it.
use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{DecompressError, Document, Error, LoadOptions, ObjectId, Stream};

/// The maximum size of each decompressed object stream.
const MAX_OBJECT_STREAM_BYTES: usize = 64 << 20;
/// The maximum number of objects in a file. A book has a few for each page.
const MAX_OBJECTS: usize = 2_000_000;
/// The maximum number of operators and operands on all pages. Those of a form count each time the form is placed.
const MAX_STEPS: u64 = 100_000_000;
/// The cost of looking up a font, a picture or a form, in steps. The cost is due before the operators of the form are
/// read.
pub(crate) const LOOKUP_STEPS: u64 = 50;
/// The maximum total size of the decompressed operators of all pages.
const MAX_CONTENT_BYTES: usize = 512 << 20;
/// The maximum size of the decompressed operators of one page or form.
const MAX_STREAM_BYTES: usize = 64 << 20;
/// The maximum total size of the cached operators of forms. They are cached because a form may be on every page.
const MAX_CACHED_BYTES: usize = 32 << 20;
/// How deep forms may be nested.
pub(crate) const MAX_FORM_DEPTH: usize = 32;
/// How often a page may save its graphics state without restoring it.
pub(crate) const MAX_SAVED_STATES: usize = 10_000;

/// An error for a file that exceeds a limit. The text names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooComplex(pub &'static str);

/// Reads a document. The outer error means that the file exceeds a limit, the inner one that it is damaged.
pub(crate) fn load(pdf: &[u8]) -> Result<Result<Document, Error>, TooComplex> {
    const TOO_MANY: TooComplex = TooComplex("it contains too many objects");
    let loaded = Document::load_mem_with_options(pdf, LoadOptions::with_max_decompressed_size(MAX_OBJECT_STREAM_BYTES));
    match loaded {
        Err(Error::Decompress(DecompressError::MemoryLimitExceeded { .. })) => Err(TOO_MANY),
        Ok(document) if document.objects.len() > MAX_OBJECTS => Err(TOO_MANY),
        loaded => Ok(loaded),
    }
}

/// The remaining budget of a check, with a cache of forms.
pub(crate) struct Budget {
    steps: u64,
    content: usize,
    remembered: HashMap<ObjectId, Rc<[u8]>>,
    free: usize,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self {
            steps: MAX_STEPS,
            content: MAX_CONTENT_BYTES,
            remembered: HashMap::new(),
            free: MAX_CACHED_BYTES,
        }
    }

    /// Charges one step: an operator, an operand, or anything that costs about as much.
    pub(crate) fn step(&mut self) -> Result<(), TooComplex> {
        self.steps(1)
    }

    pub(crate) fn steps(&mut self, steps: u64) -> Result<(), TooComplex> {
        let left = self.steps.checked_sub(steps);
        self.steps = left.ok_or(TooComplex("its pages have too many operators"))?;
        Ok(())
    }

    /// Decompresses the operators in a stream, or returns `None` where they cannot be decompressed.
    pub(crate) fn content(&mut self, stream: &Stream) -> Result<Option<Vec<u8>>, TooComplex> {
        const TOO_LONG: TooComplex = TooComplex("the operators of its pages are too long");
        let most = MAX_STREAM_BYTES.min(self.content);
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

    /// Decompresses the operators of a form. The result is cached, because a form may be placed many times.
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
