//! `/books`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use linepress_preflight::Report;
use linepress_printers::{Backs, Edition, Part};
use serde::{Deserialize, Serialize};

use super::addresses::{addressed, addressed_reply, book_location};
use super::artwork::ArtworkBody;
use super::document::{
    Binary, BookParameter, ChangeErrors, CopyErrors, CoverImageForm, DeletionErrors, DownloadErrors, GenerationErrors,
    ListErrors, OptionalKey, PdfErrors, RefinementErrors, RegenerationErrors, ReplaceErrors, RequiredKey,
    ResourceErrors,
};
use super::extract::{
    Body, ListParameters, MAX_BOOK_BYTES, OptionalBody, PathId, SearchParameters, list_query, one_of, optional_key,
    order, query,
};
use super::response::{self, Meta};
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::books::{
    self, Book, BookAccepted, BookChange, BookCopy, BookReply, BookRestyling, BookStatus, CoverRegeneration,
    NewCoverImage,
};
use linepress_core::deletion;
use linepress_core::print::PrintOptions;
use linepress_http::{Failure, Reply, file_headers, object_response};
use linepress_model::Aspect;
use linepress_planning::plans::GenerationRequest;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::BookId;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct BooksReply {
    books: Vec<Book>,
    meta: Meta,
}

addressed_reply!(BooksReply: books);

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BookChangeBody {
    book: BookChange,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CoverRegenerationBody {
    #[serde(default)]
    cover: CoverRegeneration,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BookRestylingBody {
    #[serde(default)]
    book: BookRestyling,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BookCopyBody {
    #[serde(default)]
    book: BookCopy,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct PrintCheckReply {
    print_check: Report,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PdfParameters {
    /// The id of a print format that matches the book. By default, the book's first format that the edition supports.
    #[param(example = "us_letter")]
    format: Option<String>,
    /// The printer: each has its own page sizes, margins and limits. `home` by default. A book that the printer cannot
    /// print is rejected with `format_mismatch`.
    #[param(value_type = Option<Edition>)]
    edition: Option<String>,
    /// The backs of the drawings; `blank` by default.
    #[param(value_type = Option<Backs>)]
    backs: Option<String>,
    /// The part of the book. By default the whole `book` at home, and the `interior` for other printers. `cover` is one
    /// sheet that wraps around the book.
    #[param(value_type = Option<Part>)]
    part: Option<String>,
}

impl PdfParameters {
    fn options(self) -> Result<PrintOptions, Failure> {
        Ok(PrintOptions {
            format: self.format,
            edition: one_of("edition", self.edition, Edition::ALL)?.unwrap_or_default(),
            backs: one_of("backs", self.backs, Backs::ALL)?.unwrap_or_default(),
            part: one_of("part", self.part, Part::ALL)?,
        })
    }
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PackageParameters {
    /// The id of a print format that matches the book. By default, the book's first format that the edition supports.
    #[param(example = "us_letter")]
    format: Option<String>,
    /// The printer, `kdp` or `lulu`; `kdp` by default. A printer at home takes one file, the PDF.
    #[param(value_type = Option<Edition>)]
    edition: Option<String>,
    /// The backs of the drawings; `blank` by default.
    #[param(value_type = Option<Backs>)]
    backs: Option<String>,
}

impl PackageParameters {
    fn options(self) -> Result<PrintOptions, Failure> {
        Ok(PrintOptions {
            format: self.format,
            edition: one_of("edition", self.edition, Edition::ALL)?.unwrap_or(Edition::Kdp),
            backs: one_of("backs", self.backs, Backs::ALL)?.unwrap_or_default(),
            part: None,
        })
    }
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct BookFilter {
    /// Only books of this status.
    #[param(value_type = Option<BookStatus>)]
    status: Option<String>,
    /// Only books of this aspect.
    #[param(value_type = Option<Aspect>)]
    aspect: Option<String>,
}

/// The account's books, newest first unless `sort` says otherwise.
#[utoipa::path(get, path = "/books", tag = "Books", operation_id = "list_books",
    params(ListParameters, SearchParameters, BookFilter),
    responses((status = 200, description = "One page of the list", body = BooksReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    search: Result<Query<SearchParameters>, QueryRejection>,
    filter: Result<Query<BookFilter>, QueryRejection>,
) -> Reply<Json<BooksReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, BookId::PREFIX)?;
    let filter = query(filter)?;
    let status = one_of("status", filter.status, BookStatus::ALL)?;
    let aspect = one_of("aspect", filter.aspect, Aspect::ALL)?;
    let search = query(search)?.search(status, aspect)?;
    let page = books::search(&app, &caller, &search, &request).await?;
    Ok(addressed(
        &app,
        BooksReply {
            meta: Meta::from(&page),
            books: page.items,
        },
    ))
}

/// Creates a book and has its cover and new pages drawn, for {page_price} per new page.
#[utoipa::path(post, path = "/books", tag = "Books", operation_id = "create_book",
    params(RequiredKey), request_body = GenerationRequest,
    responses((status = 202, description = "Accepted", body = BookAccepted), GenerationErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(body): Body<GenerationRequest, MAX_BOOK_BYTES>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = books::create(&app, &caller, &order, &body.book).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?).await
}

/// One book with its pages in order.
#[utoipa::path(get, path = "/books/{id}", tag = "Books", operation_id = "get_book", params(BookParameter),
    responses((status = 200, description = "The book", body = BookReply), ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
) -> Reply<Json<BookReply>> {
    let book = books::get(&app, &caller, &id).await?;
    Ok(addressed(
        &app,
        BookReply {
            book: book.ok_or_else(missing)?,
        },
    ))
}

/// Changes a book's metadata and characters. Fields that are left out do not change.
#[utoipa::path(patch, path = "/books/{id}", tag = "Books", operation_id = "update_book", params(BookParameter),
    request_body = BookChangeBody,
    responses((status = 200, description = "The book", body = BookReply), ChangeErrors))]
pub(super) async fn update(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    Body(body): Body<BookChangeBody>,
) -> Reply<Json<BookReply>> {
    let book = books::update(&app, &caller, &id, &body.book).await;
    let book = book.map_err(in_body)?.ok_or_else(missing)?;
    Ok(addressed(&app, BookReply { book }))
}

/// The same as PATCH.
#[utoipa::path(put, path = "/books/{id}", tag = "Books", operation_id = "put_book", params(BookParameter),
    request_body = BookChangeBody,
    responses((status = 200, description = "The book", body = BookReply), ChangeErrors))]
pub(super) async fn put(
    state: State<App>,
    caller: Extension<Caller>,
    id: PathId<BookId>,
    body: Body<BookChangeBody>,
) -> Reply<Json<BookReply>> {
    update(state, caller, id, body).await
}

/// Deletes a book and its cover. Its waiting drawings are canceled and refunded; pages that never had an image and are
/// in no other book are deleted with it. Drawn pages are not deleted, and a drawing in progress becomes a page outside
/// of the book. A waiting regeneration of a page that has an image continues: the page remains, so the paid drawing is
/// made. The book can be restored from the bin until it expires.
#[utoipa::path(delete, path = "/books/{id}", tag = "Books", operation_id = "delete_book", params(BookParameter),
    responses((status = 204, description = "Deleted"), DeletionErrors))]
pub(super) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
) -> Reply<StatusCode> {
    let deleted = deletion::delete_book(&app, &caller, &id).await?;
    response::no_content(deleted, missing)
}

/// Draws the cover again, for {cover_again_price}; it {cover_costs} if the book never had a cover, within the account's
/// limit of free covers. The old image remains until the new one is ready. Meanwhile the PDF is rejected, as it is
/// while a page is being drawn. With `variants`, that many pictures are drawn; each but the first costs
/// {cover_again_price} in any case, and one that fails is refunded.
#[utoipa::path(post, path = "/books/{id}/cover/regenerate", tag = "Books", operation_id = "regenerate_book_cover",
    params(BookParameter, RequiredKey), request_body = Option<CoverRegenerationBody>,
    responses((status = 202, description = "Accepted", body = BookAccepted), RegenerationErrors))]
pub(super) async fn regenerate_cover(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<CoverRegenerationBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = books::regenerate_cover(&app, &caller, &order, &id, &body.cover).await;
    let accepted = accepted.map_err(|error| error.within(&Field::cover()))?;
    response::accepted(&app, &caller, &headers, accepted.ok_or_else(missing)?).await
}

/// Gives the book another look and draws its pages again with it, for {page_price} per page. Each page gets the look
/// and keeps its texts, its characters and, until the new one is ready, its image. Imported and locked pages and the
/// cover remain; no page may be being drawn. With `page_ids`, only these pages are drawn, in one operation, and the
/// look of the book and of its other pages remains: without a look, each is drawn again as it is. A locked page among
/// them is refused.
#[utoipa::path(post, path = "/books/{id}/restyle", tag = "Books", operation_id = "restyle_book",
    params(BookParameter, RequiredKey), request_body = Option<BookRestylingBody>,
    responses((status = 202, description = "Accepted", body = BookAccepted), RefinementErrors))]
pub(super) async fn restyle(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<BookRestylingBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = books::restyle(&app, &caller, &order, &id, &body.book).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?.ok_or_else(missing)?).await
}

/// Copies the book, at no cost: the new book has its texts, cover, characters and look, and shares its pages. A change
/// of a page is then seen in both books. The book must not be being drawn.
#[utoipa::path(post, path = "/books/{id}/copy", tag = "Books", operation_id = "copy_book",
    params(BookParameter, OptionalKey), request_body = Option<BookCopyBody>,
    responses((status = 201, description = "The new book", body = BookReply), CopyErrors))]
pub(super) async fn copy(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<BookCopyBody>,
) -> Reply {
    let key = optional_key(&headers)?;
    let copied = books::copy(&app, &caller, key.as_ref(), &id, &body.book).await;
    let copied = copied.map_err(in_body)?.ok_or_else(missing)?;
    let location = book_location(&app, &copied.reply.book)?;
    response::created_at(&app, location, copied)
}

/// Replaces the cover's image with finished artwork, at no cost. Send the file as `multipart/form-data`, or JSON with
/// an `upload_id` or an https `image_url`. A cover whose style is `line_art` is printed in black; send the style `color`
/// to keep the artwork's colors.
#[utoipa::path(put, path = "/books/{id}/cover_image", tag = "Books", operation_id = "replace_book_cover_image",
    params(BookParameter, OptionalKey),
    request_body(content((NewCoverImage = "application/json"), (CoverImageForm = "multipart/form-data"))),
    responses((status = 200, description = "The book", body = BookReply), ReplaceErrors))]
pub(super) async fn replace_cover(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    headers: HeaderMap,
    ArtworkBody { fields, file }: ArtworkBody<NewCoverImage>,
) -> Reply {
    let key = optional_key(&headers)?;
    let replaced = books::replace_cover(&app, &caller, key.as_ref(), &id, &fields, file).await?;
    response::done(&app, replaced.ok_or_else(missing)?)
}

/// The cover's image.
#[utoipa::path(get, path = "/books/{id}/cover_image", tag = "Books", operation_id = "get_book_cover_image",
    params(BookParameter),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn cover_image(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
) -> Reply {
    let image = books::cover_image(&app, &caller, &id).await?;
    response::download(image.ok_or_else(missing)?)
}

/// The finished book, once every page is ready. The request is rejected while a page or the cover is being drawn, for
/// the first time or again, because the PDF would not contain the ordered drawings.
#[utoipa::path(get, path = "/books/{id}/pdf", tag = "Books", operation_id = "get_book_pdf",
    params(BookParameter, PdfParameters),
    responses((status = 200, description = "The PDF", body = Binary, content_type = "application/pdf"), PdfErrors))]
pub(super) async fn pdf(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<PdfParameters>, QueryRejection>,
) -> Reply {
    let options = query(parameters)?.options()?;
    let pdf = books::pdf(&app, &caller, &id, &options).await?.ok_or_else(missing)?;
    let headers = file_headers("application/pdf", "attachment", &pdf.file_name);
    Ok((headers, object_response(pdf.object)).into_response())
}

/// All files for a printer, as a ZIP archive: `interior.pdf`, `cover.pdf`, the front of the cover as `front.jpg`,
/// thumbnails of the drawings, the texts that a shop asks for with a record of the drawings that were made with AI
/// (`kdp-kit.txt` and `kdp-kit.json`), and a `README.txt` that explains them. The archive of an unchanged book is the
/// same each time.
#[utoipa::path(get, path = "/books/{id}/package", tag = "Books", operation_id = "get_book_package",
    params(BookParameter, PackageParameters),
    responses((status = 200, description = "The archive", body = Binary, content_type = "application/zip"), PdfErrors))]
pub(super) async fn package(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<PackageParameters>, QueryRejection>,
) -> Reply {
    let options = query(parameters)?.options()?;
    let package = linepress_publishing::package(&app, &caller, &id, &options).await?;
    let package = package.ok_or_else(missing)?;
    let headers = file_headers("application/zip", "attachment", &package.file_name);
    Ok((headers, axum::body::Body::from_stream(package.chunks)).into_response())
}

/// The problems that a printer would find in the book's PDF. The PDF is made first if it does not exist yet.
#[utoipa::path(get, path = "/books/{id}/print_check", tag = "Books", operation_id = "check_book_print",
    params(BookParameter, PdfParameters),
    responses((status = 200, description = "The findings", body = PrintCheckReply), PdfErrors))]
pub(super) async fn print_check(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<PdfParameters>, QueryRejection>,
) -> Reply<Json<PrintCheckReply>> {
    let options = query(parameters)?.options()?;
    let report = books::print_check(&app, &caller, &id, &options).await?;
    Ok(Json(PrintCheckReply {
        print_check: report.ok_or_else(missing)?,
    }))
}

/// Names the fields of an error as bodies contain them.
fn in_body(error: Error) -> Error {
    error.within(&Field::book())
}

pub(super) fn missing() -> Error {
    Error::not_found("book")
}
