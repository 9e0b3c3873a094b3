//! Numbers, times and statuses in words.
use std::borrow::Cow;

use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, counted};

use linepress_core::artwork::{Quality, Status};
use linepress_core::books::{Book, BookStatus, CoverStyle};
use linepress_platform::clock::Timestamp;

pub(super) fn pages(number: usize) -> String {
    counted(i64::try_from(number).unwrap_or(i64::MAX), "page")
}

/// The faults that make a picture hard to color, as sentences.
pub(super) fn faults(quality: Option<&Quality>) -> Vec<Cow<'static, str>> {
    let faults = quality.into_iter().flat_map(|quality| &quality.faults);
    faults.map(|fault| fault.message.clone()).collect()
}

/// A day, such as 21 November 2026, in UTC.
pub(super) fn day(time: Timestamp) -> String {
    let time = time.to_string();
    let date: Option<jiff::civil::Date> = time.split('T').next().and_then(|date| date.parse().ok());
    date.map_or(time, |date| date.strftime("%-d %B %Y").to_string())
}

/// The styles of a cover that shows the account's own picture.
pub(super) fn own_cover_style(style: CoverStyle) -> &'static str {
    match style {
        CoverStyle::LineArt => "Print it in black",
        CoverStyle::Color => "Keep its colors",
    }
}

pub(super) fn cover_style(style: CoverStyle) -> &'static str {
    match style {
        CoverStyle::LineArt => "Outlines to color",
        CoverStyle::Color => "In color",
    }
}

pub(super) fn line_weight(weight: LineWeight) -> &'static str {
    match weight {
        LineWeight::Usual => "As the audience needs",
        LineWeight::Thin => "Thin",
        LineWeight::Medium => "Medium",
        LineWeight::Bold => "Bold",
    }
}

pub(super) fn detail(detail: DetailLevel) -> &'static str {
    match detail {
        DetailLevel::Usual => "As the audience needs",
        DetailLevel::Simple => "Simple",
        DetailLevel::Medium => "Medium",
        DetailLevel::Detailed => "Detailed",
    }
}

pub(super) fn frame(frame: FrameStyle) -> &'static str {
    match frame {
        FrameStyle::Usual => "As usual",
        FrameStyle::None => "No frame",
        FrameStyle::Plain => "A line",
        FrameStyle::Rounded => "Rounded corners",
        FrameStyle::Doubled => "Two lines",
        FrameStyle::Notched => "Notched corners",
        FrameStyle::Scooped => "Scooped corners",
        FrameStyle::Scalloped => "Waves",
        FrameStyle::Beaded => "Beads",
        FrameStyle::Stitched => "Stitches",
    }
}

pub(super) fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Toddler => "Toddlers",
        Audience::Child => "Children",
        Audience::Teen => "Teenagers",
        Audience::Adult => "Adults",
    }
}

pub(super) fn aspect(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Square => "Square",
        Aspect::Portrait => "Portrait",
        Aspect::Landscape => "Landscape",
    }
}

/// The look of a layout, by which sizes with the same measures differ. A layout that does not ship with Linepress has
/// only its name.
pub(super) fn layout(id: &str, name: &str) -> String {
    let look = match id {
        "linepress.classic" => "the caption below the drawing",
        "linepress.storybook" => "the caption in large letters on the facing page",
        "linepress.print-on-demand" => "a paperback with an imprint, and pages to try colors and to draw on",
        _ => return name.to_owned(),
    };
    format!("{name}: {look}")
}

/// The status of a book in words.
pub(super) fn book_status(book: &Book) -> String {
    let ready = book.pages.iter().filter(|page| page.status == Status::Ready).count();
    match book.status {
        BookStatus::Ready => "Ready to print".into(),
        BookStatus::Generating if ready == book.page_count => "Being drawn".into(),
        BookStatus::Generating => format!("Being drawn: {ready} of {}", pages(book.page_count)),
        BookStatus::Incomplete if book.pages.is_empty() => "No pages yet".into(),
        BookStatus::Incomplete => match book.page_count - ready {
            1 => "1 page is missing".into(),
            missing => format!("{missing} pages are missing"),
        },
    }
}

/// Returns true for a message about a drawing that has just begun.
pub(super) fn is_of_a_drawing(done: &str) -> bool {
    [Some("ordered"), Some("drawing")]
        .into_iter()
        .any(|word| self::done(word) == Some(done))
}

/// The message about what a form did. The address has only a keyword, so that a link cannot show any other text.
pub(super) fn done(word: Option<&str>) -> Option<&'static str> {
    Some(match word? {
        "saved" => "Saved.",
        "ordered" => "Ordered. The pages appear here as they are drawn.",
        "ordered-before" => "You ordered this plan: here is its book.",
        "plan-deleted" => "The plan was deleted.",
        "plan-copied" => {
            "The plan was changed or ordered elsewhere while you had it open. Your version is saved here, as a separate plan."
        }
        "plan-ordered" => {
            "You ordered an earlier version of this plan: that book is in your library. Order again to have this version made, too."
        }
        "plan-changed" => "The plan was changed meanwhile. Choose the photograph again.",
        "plan-restored" => "The plan had been deleted. It is saved again, as you had it on the screen.",
        "signed-in-again" => {
            "You signed in again after this page was opened. The plan is saved as you had it on the screen. Nothing was ordered: look through it, and order it now."
        }
        "drawing" => "It is being drawn. The new picture appears here.",
        "canceled" => "What had not begun is canceled, and its credits are back in your account.",
        "added" => "The pages are in the book.",
        "taken-out" => "The page was taken out of the book. It is still among your pages.",
        "moved" => "The pages are in their new order.",
        "replaced" => "The picture was replaced.",
        "chosen" => "The picture is in use.",
        "imported" => "Your artwork is a page now.",
        "book-copied" => "This is the copy. Its pages are in both books: a change of a page is seen in both.",
        "plan-duplicated" => "This is the copy of the plan. The original is in your library.",
        "several-deleted" => "Deleted. You can restore them from the bin.",
        "several-archived" => "Archived. You can restore them under “Archived characters”.",
        "none-selected" => "Nothing was selected.",
        "deleted" => "Deleted. It is in the bin now.",
        "deleted-for-good" => "Deleted for good.",
        "bin-emptied" => "The bin is empty.",
        "book-restored" => "The book is back.",
        "page-restored" => "The page is back.",
        "locked" => "Locked. Its picture stays as it is.",
        "unlocked" => "Unlocked. It can be drawn again.",
        "put-back" => "The page is back in the book.",
        "archived" => "Archived. It is no longer listed.",
        "restored" => "The character is back.",
        "shared" => "Anyone with the address may see the character now.",
        "private" => "Only you can see the character now.",
        "link-withdrawn" => "The link does not work any more.",
        "comment-resolved" => "The comment is marked as done.",
        "comment-reopened" => "The comment is marked as not done.",
        "comment-deleted" => "The comment was deleted.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_out() {
        assert_eq!(
            day(Timestamp::from_microseconds(1_795_262_400_000_000)),
            "21 November 2026"
        );
    }
}
