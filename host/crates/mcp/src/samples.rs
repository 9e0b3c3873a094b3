//! Resources for the unit tests of this crate.
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight};
use serde_json::{Value, json};

use linepress_core::address::Address;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::artwork::{Fault, Image, Status};
use linepress_core::books::{Book, BookStatus, Cover, CoverStyle, PageSummary};
use linepress_core::characters::Character;
use linepress_core::downloads::Link;
use linepress_core::operations::{
    FailureCode, Item, Operation, OperationCredits, OperationStatus, OperationType, Progress, ResourceLink,
    ResourceType, SafeError,
};
use linepress_core::pages::{Origin, Page};
use linepress_drawings::queue::{DrawingStatus, Target, TargetType};
use linepress_platform::clock::Timestamp;
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{AttemptId, BookId, CharacterId, OperationId, PageId};

const NOW: Timestamp = Timestamp::from_microseconds(1_795_262_400_000_000);

/// The book `book_1` with these pages, `page_1` and so on.
pub(crate) fn book(status: BookStatus, pages: &[Status]) -> Book {
    let pages: Vec<PageSummary> = (1..)
        .zip(pages)
        .map(|(position, status)| PageSummary {
            id: PageId::from_text(format!("page_{position}")),
            title: format!("Page \"{position}\""),
            position,
            status: *status,
            image: None,
            active_operation_id: None,
        })
        .collect();
    Book {
        id: BookId::from_text("book_1"),
        title: "Woods".into(),
        subtitle: String::new(),
        author: "Ada".into(),
        description: String::new(),
        audience: Audience::Child,
        aspect: Aspect::Portrait,
        language: "en".into(),
        isbn: String::new(),
        line_weight: LineWeight::Usual,
        detail: DetailLevel::Usual,
        style: String::new(),
        frame: FrameStyle::Usual,
        status,
        cover: Cover {
            prompt: "Trees".into(),
            style: CoverStyle::LineArt,
            status: Status::Ready,
            image: None,
        },
        characters: Vec::new(),
        page_count: pages.len(),
        pages,
        print_formats: vec!["us_letter".into(), "a4".into()],
        active_operation_id: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// The chosen attempt `att_1` of the page `page_1`.
pub(crate) fn attempt() -> Attempt {
    Attempt {
        id: AttemptId::from_text("att_1"),
        origin: Origin::Generated,
        prompt: "A fox".into(),
        chosen: true,
        note: None,
        image: image(&[]),
        created_at: NOW,
        target: Target::Page(PageId::from_text("page_1")),
    }
}

/// The page `page_1`, which is in no book.
pub(crate) fn page(status: Status) -> Page {
    Page {
        id: PageId::from_text("page_1"),
        title: "A fox".into(),
        prompt: "A fox on a bicycle".into(),
        caption: "Ring".into(),
        alternative_text: None,
        aspect: Aspect::Portrait,
        line_weight: LineWeight::Usual,
        detail: DetailLevel::Usual,
        style: String::new(),
        frame: FrameStyle::Usual,
        origin: Origin::Generated,
        status,
        characters: Vec::new(),
        book_ids: Vec::new(),
        image: None,
        error: None,
        active_operation_id: None,
        locked: false,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// A picture with these faults.
pub(crate) fn image(faults: &[Fault]) -> Image {
    let faults: Vec<Value> = faults
        .iter()
        .map(|code| json!({"code": code, "message": "A fault."}))
        .collect();
    let quality = json!({
        "ink": 0.1,
        "grays": 0.0,
        "regions": 3,
        "largest_region": 0.2,
        "uncolorable_regions": 0,
        "faults": faults,
    });
    Image {
        url: Address::default(),
        width: 3,
        height: 4,
        media_type: "image/png".into(),
        byte_size: 5,
        revision: 1,
        quality: serde_json::from_value(quality).unwrap(),
        alternative_text: None,
    }
}

/// A link to the PDF of a book with this title.
pub(crate) fn link(title: &str) -> Link {
    Link {
        url: "https://books.test/downloads/abc".into(),
        media_type: "application/pdf".into(),
        file_name: FileName::new(title, "book", ".pdf"),
        byte_size: 5,
        expires_at: NOW,
    }
}

/// The character `char_1`.
pub(crate) fn character(status: Status) -> Character {
    Character {
        id: CharacterId::from_text("char_1"),
        name: "Pip".into(),
        description: "A hedgehog".into(),
        style: String::new(),
        public_preview: false,
        public_preview_url: None,
        status,
        reference_image: None,
        active_operation_id: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

/// The operation `op_1` of a new book, of whose pages this number failed.
pub(crate) fn operation(status: OperationStatus, failed: i64) -> Operation {
    let items = (1..=failed).map(|number| Item {
        kind: TargetType::Page,
        id: format!("page_{number}"),
        title: "A fox".into(),
        status: DrawingStatus::Failed,
        error: Some(failure()),
        note: None,
        instruction: None,
        progress: None,
    });
    Operation {
        id: OperationId::from_text("op_1"),
        kind: OperationType::BookCreate,
        status,
        progress: Progress {
            completed: 2,
            failed,
            total: failed + 2,
        },
        credits: OperationCredits {
            charged: failed + 1,
            refunded: failed,
        },
        resource: ResourceLink::new(ResourceType::Book, "book_1"),
        items: items.collect(),
        error: None,
        url: Address::default(),
        created_at: NOW,
        started_at: None,
        finished_at: None,
    }
}

/// The error of a drawing.
pub(crate) fn failure() -> SafeError {
    SafeError {
        code: FailureCode::Refused,
        message: "Not drawn.".into(),
    }
}
