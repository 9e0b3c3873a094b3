//! Compares what the database names with what the object store holds: after a database was restored, or a folder was lost,
//! they may not belong together.
//!
//! The server may be at work meanwhile. So what seems to be wrong is looked at once more: an object that was written or
//! given up since is either marked or gone.
use std::collections::HashSet;

use super::store::{self, ArtworkObjects};
use crate::app::App;
use crate::error::Result;
use crate::ids::AccountId;

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// A thousand of each, at random.
    Sample,
    Full,
}

const SAMPLE: usize = 1000;

/// What was found.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Whether nothing was left out.
    pub is_complete: bool,
    /// How many objects of artworks were looked for in the store. PDFs are not: they are made again when they are missing.
    pub looked_for: usize,
    pub missing: Vec<NamedObject>,
    /// Those that are there in another size than they were written in.
    pub damaged: Vec<NamedObject>,
    /// How many objects of the store were looked for in the database.
    pub looked_at: usize,
    /// The keys of those that nothing names.
    pub orphans: Vec<String>,
}

/// An object that an artwork refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    pub key: String,
    artwork_id: String,
    pub account_id: AccountId,
    /// In bytes, where it is known.
    pub size: Option<u64>,
}

/// What the artwork refers to.
fn objects_of(artwork: ArtworkObjects) -> [NamedObject; 2] {
    let ArtworkObjects {
        id,
        account_id,
        image_key,
        master_key,
        byte_size,
        stored_bytes,
    } = artwork;
    let master_size = stored_bytes - byte_size;
    let image = NamedObject {
        key: image_key,
        artwork_id: id.clone(),
        account_id: account_id.clone(),
        size: u64::try_from(byte_size).ok(),
    };
    let master = NamedObject {
        key: master_key,
        artwork_id: id,
        account_id,
        size: u64::try_from(master_size).ok().filter(|size| *size > 0),
    };
    [image, master]
}

/// Compares the database with the store.
pub async fn compare(app: &App, thoroughness: Thoroughness) -> Result<Comparison> {
    begin_comparison(app, thoroughness).await?.finish(app).await
}

/// What the store and the database held when each was read.
pub struct Begun {
    is_complete: bool,
    looked_at: usize,
    named: Vec<NamedObject>,
    unnamed: HashSet<String>,
}

/// The first half of a comparison: reads what there is. In a large store the second takes long.
pub async fn begin_comparison(app: &App, thoroughness: Thoroughness) -> Result<Begun> {
    let listed = match thoroughness {
        Thoroughness::Full => app.storage.list().await?,
        Thoroughness::Sample => app.storage.sample(SAMPLE, &app.random).await?,
    };
    let looked_at = listed.keys.len();
    // In this order: whoever writes an object marks it, and unmarks it in the transaction that refers to it.
    let mut unnamed: HashSet<String> = listed.keys.into_iter().collect();
    remove_marked(app, &mut unnamed).await?;
    let mut named = Named::new(app, thoroughness);
    let mut after = String::new();
    loop {
        let artworks = store::artworks_after(&app.database.read, &after, ROWS).await?;
        let Some(last) = artworks.last() else { break };
        after.clone_from(&last.id);
        for artwork in artworks {
            for object in objects_of(artwork) {
                unnamed.remove(&object.key);
                named.add(object);
            }
        }
    }
    Ok(Begun {
        is_complete: listed.is_complete && named.chosen.len() == named.seen,
        looked_at,
        named: named.chosen,
        unnamed,
    })
}

impl Begun {
    /// Looks at each object that does not seem to be as it should.
    pub async fn finish(self, app: &App) -> Result<Comparison> {
        let looked_for = self.named.len();
        let (missing, damaged) = faults(app, self.named).await?;
        Ok(Comparison {
            is_complete: self.is_complete,
            looked_for,
            missing,
            damaged,
            looked_at: self.looked_at,
            orphans: orphans(app, self.unnamed).await?,
        })
    }
}

/// Rows that are read at a time.
const ROWS: i64 = 1000;

/// Objects that artworks refer to: all of them, or so many that each is as likely to be among them as any other.
struct Named<'a> {
    app: &'a App,
    most: usize,
    chosen: Vec<NamedObject>,
    seen: usize,
}

impl<'a> Named<'a> {
    fn new(app: &'a App, thoroughness: Thoroughness) -> Self {
        Self {
            app,
            most: match thoroughness {
                Thoroughness::Sample => SAMPLE,
                Thoroughness::Full => usize::MAX,
            },
            chosen: Vec::new(),
            seen: 0,
        }
    }

    /// Algorithm R (Vitter, "Random sampling with a reservoir", 1985).
    fn add(&mut self, object: NamedObject) {
        self.seen += 1;
        if self.chosen.len() < self.most {
            self.chosen.push(object);
        } else if let Some(place) = self.chosen.get_mut(self.app.random.below(self.seen)) {
            *place = object;
        }
    }
}

/// Those that are not there, and those of another size, that an artwork still refers to.
async fn faults(app: &App, named: Vec<NamedObject>) -> Result<(Vec<NamedObject>, Vec<NamedObject>)> {
    let (mut missing, mut damaged) = (Vec::new(), Vec::new());
    for object in named {
        let faulty = match app.storage.open(&object.key).await? {
            None => &mut missing,
            Some(found) if object.size.is_some_and(|size| size != found.size) => &mut damaged,
            Some(_) => continue,
        };
        // What was given up since may have been swept, too: then neither a mark nor an artwork names it.
        if !is_marked(app, &object.key).await? && store::is_named(&app.database.read, &object.artwork_id).await? {
            faulty.push(object);
        }
    }
    Ok((missing, damaged))
}

/// Those that are there, and that were not given up since the artworks were read.
async fn orphans(app: &App, unnamed: HashSet<String>) -> Result<Vec<String>> {
    let mut orphans = Vec::new();
    for key in unnamed {
        if app.storage.open(&key).await?.is_some() && !is_marked(app, &key).await? {
            orphans.push(key);
        }
    }
    orphans.sort_unstable();
    Ok(orphans)
}

async fn is_marked(app: &App, key: &str) -> Result<bool> {
    Ok(store::is_marked(&app.database.read, key).await?)
}

async fn remove_marked(app: &App, unnamed: &mut HashSet<String>) -> Result<()> {
    let mut after = String::new();
    loop {
        let marked = store::marked_after(&app.database.read, &after, ROWS).await?;
        let Some(last) = marked.last() else { return Ok(()) };
        after.clone_from(last);
        for key in &marked {
            unnamed.remove(key);
        }
    }
}
