//! Which pages a book holds, and in which order.
use super::create::{NO_PAGE, attachable, check_size};
use super::{Book, BookPageAccepted, NewBookPage, read_in, store};
use crate::app::App;
use crate::artwork::Aspect;
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::{Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{BookId, PageId};
use crate::operations::{self, NewOperation, OperationType, ResourceType};
use crate::{characters, pages, validation};

/// Puts a ready page into the book, before the one that has the position now, or last.
pub async fn attach(
    app: &App,
    caller: &Caller,
    id: &BookId,
    page_id: &str,
    position: Option<u32>,
) -> Result<Option<Book>> {
    let mut tx = app.database.begin().await?;
    let Some(book) = store::lock(&mut tx, &caller.account_id, id, app.clock.now()).await? else {
        return Ok(None);
    };
    let aspect = Aspect::parse(&book.aspect).unwrap_or_default();
    let page = attachable(&mut tx, caller, page_id, aspect).await?;
    let page = page.map_err(|problem| Error::invalid_field("page_id", problem))?;
    insert(app, &mut tx, id, &page, position).await?;
    let book = read_in(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

/// Creates a page in the book and queues its drawing. One at a time: the book waits for what is being drawn for it.
pub async fn generate(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    id: &BookId,
    new: &NewBookPage,
) -> Result<Option<Accepted>> {
    validation::check("page", &new.page)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(Some(replay));
    }
    let operation_id = operations::new_id(app);
    let now = app.clock.now();
    let Some(book) = store::start_generation(&mut tx, &caller.account_id, id, &operation_id, now).await? else {
        return match store::find_in(&mut tx, &caller.account_id, id).await? {
            Some(_) => Err(Error::generation_active("book")),
            None => Ok(None),
        };
    };
    let aspect = Aspect::parse(&book.aspect).unwrap_or_default();
    if new.page.aspect.is_some_and(|wanted| wanted != aspect) {
        let problem = format!("must be {}, like the book's, or left out", aspect.as_str());
        return Err(Error::invalid_field("page.aspect", problem));
    }
    let characters = match &new.page.character_ids {
        Some(ids) => characters::usable(&mut tx, caller, ids, "page.character_ids").await?,
        None => {
            let links = characters::links(book.characters.as_deref());
            let ids: Vec<String> = links.into_iter().map(|link| link.id.to_string()).collect();
            characters::still_usable(&mut tx, caller, &ids).await?
        }
    };
    let draft = pages::Draft {
        page: &new.page,
        aspect,
        audience: book.audience(),
        characters: &characters,
    };
    let (mut page, drawing) = pages::insert(app, &mut tx, caller, &operation_id, &draft).await?;
    insert(app, &mut tx, id, &page.id, new.position).await?;
    page.book_ids.push(id.clone());
    let begin = NewOperation {
        kind: OperationType::BookAddPage,
        resource: ResourceType::Book,
        resource_id: id.as_str(),
        drawings: vec![drawing],
    };
    let (operation, available) = operations::begin(app, &mut tx, caller, operation_id, begin).await?;
    let book = read_in(app, &mut tx, caller, id).await?;
    let reply = BookPageAccepted { page, book, operation };
    operations::accept(app, tx, caller, key, &reply, &reply.operation, available)
        .await
        .map(Some)
}

/// Takes the page out of the book and nothing else. Nothing when there is no such book, false when the page is not in it.
pub async fn detach(app: &App, caller: &Caller, id: &BookId, page: &PageId) -> Result<Option<bool>> {
    let mut tx = app.database.begin().await?;
    if store::lock(&mut tx, &caller.account_id, id, app.clock.now())
        .await?
        .is_none()
    {
        return Ok(None);
    }
    let detached = store::detach(&mut tx, id, page).await?;
    if detached {
        tx.commit().await?;
    }
    Ok(Some(detached))
}

/// Puts the book's pages into another order, which must name each of them once.
pub async fn reorder(app: &App, caller: &Caller, id: &BookId, page_ids: &[String]) -> Result<Option<Book>> {
    let mut tx = app.database.begin().await?;
    if store::lock(&mut tx, &caller.account_id, id, app.clock.now())
        .await?
        .is_none()
    {
        return Ok(None);
    }
    let present = store::positions(&mut tx, id).await?;
    check_permutation(&present, page_ids)?;
    place(&mut tx, id, &present, page_ids).await?;
    let book = read_in(app, &mut tx, caller, id).await?;
    tx.commit().await?;
    Ok(Some(book))
}

fn check_permutation(present: &[(String, i64)], wanted: &[String]) -> Result<()> {
    let refuse = |message: String| Err(Error::invalid_field("page_ids", message));
    for (index, id) in wanted.iter().enumerate() {
        if wanted[..index].contains(id) {
            return refuse(format!("names the page at index {index} twice"));
        }
        if !present.iter().any(|(page, _)| page == id) {
            return refuse(format!("names at index {index} a page that is not in the book"));
        }
    }
    match present.iter().find(|(page, _)| !wanted.contains(page)) {
        Some((missing, _)) => refuse(format!("must name every page of the book; {missing} is missing")),
        None => Ok(()),
    }
}

/// Puts a page that is not in the book, whose lock is held, at a position from 1.
async fn insert(app: &App, tx: &mut Tx, id: &BookId, page: &PageId, position: Option<u32>) -> Result<()> {
    let present = store::positions(tx, id).await?;
    if present.iter().any(|(other, _)| other == page.as_str()) {
        return Err(Error::invalid_field(
            "page_id",
            "names a page that is in the book already",
        ));
    }
    check_size(app, present.len() + 1)?;
    let last = present.len() + 1;
    let position = position.map_or(last, |position| position as usize);
    if !(1..=last).contains(&position) {
        return Err(Error::invalid_field("position", format!("must be from 1 to {last}")));
    }
    let after_all = present.last().map_or(1, |(_, position)| position + 1);
    if !store::attach(tx, id, page, after_all).await? {
        return Err(Error::invalid_field("page_id", NO_PAGE));
    }
    if position < last {
        let mut order: Vec<String> = present.iter().map(|(page, _)| page.clone()).collect();
        order.insert(position - 1, page.as_str().into());
        let mut present = present;
        present.push((page.as_str().into(), after_all));
        place(tx, id, &present, &order).await?;
    }
    Ok(())
}

/// Numbers the pages in this order, touching only those that move.
async fn place(tx: &mut Tx, id: &BookId, present: &[(String, i64)], order: &[String]) -> Result<()> {
    for (position, page) in (1_i64..).zip(order) {
        if !present.iter().any(|(other, at)| other == page && *at == position) {
            store::set_position(tx, id, page, position).await?;
        }
    }
    Ok(())
}
