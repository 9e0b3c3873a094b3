//! Compares the objects that the database refers to with those in the object store. They may differ after a database
//! was restored or a folder was lost.
//!
//! The server may run meanwhile, so each apparent fault is checked a second time: an object that was written or
//! discarded since then is either marked or gone.
use std::collections::{BTreeMap, HashSet};

use futures::{StreamExt as _, TryStreamExt as _};

use super::store::{self, ArtworkObjects};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::AccountId;

/// The part of the objects that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// About a thousand objects from each side, at random.
    Sample,
    Full,
}

const SAMPLE_SIZE: usize = 1000;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// True if all objects were compared.
    pub is_complete: bool,
    /// The number of objects of artworks that were looked up in the store. PDFs are not looked up: they are made again
    /// when they are missing.
    pub looked_for: usize,
    pub missing: Vec<NamedObject>,
    /// Objects in the store whose size differs from the size that was written.
    pub damaged: Vec<NamedObject>,
    /// The number of objects in the store that were looked up in the database.
    pub looked_at: usize,
    /// The keys of objects to which nothing refers.
    pub orphans: Vec<String>,
}

/// An object that an artwork refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject {
    pub key: String,
    artwork_id: String,
    pub account_id: AccountId,
    /// In bytes; `None` when the database does not record it.
    pub size: Option<u64>,
}

/// The two objects to which the artwork refers.
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

/// The contents of the store and of the database when each was read.
pub struct StartedComparison {
    is_complete: bool,
    looked_at: usize,
    named: Vec<NamedObject>,
    /// The listed objects and their sizes.
    listed: BTreeMap<String, u64>,
    unnamed: HashSet<String>,
}

/// The first half of a comparison: reads both sides. `finish`, the second half, takes long for a large store.
pub(crate) async fn begin_comparison(app: &App, thoroughness: Thoroughness) -> Result<StartedComparison> {
    let listed = match thoroughness {
        Thoroughness::Full => app.storage.list().await?,
        Thoroughness::Sample => app.storage.sample(SAMPLE_SIZE, &app.random).await?,
    };
    let looked_at = listed.sizes.len();
    // The order matters: a writer marks its object first, and unmarks it in the transaction that refers to it.
    let mut unnamed: HashSet<String> = listed.sizes.keys().cloned().collect();
    remove_marked(app, &mut unnamed).await?;
    let mut named = Named::new(app, thoroughness);
    let mut after = String::new();
    loop {
        let artworks = store::artworks_after(&app.database.read, &after, ROWS_PER_QUERY).await?;
        let Some(last) = artworks.last() else { break };
        after.clone_from(&last.id);
        for artwork in artworks {
            for object in objects_of(artwork) {
                unnamed.remove(&object.key);
                named.add(object);
            }
        }
    }
    Ok(StartedComparison {
        is_complete: listed.is_complete && named.chosen.len() == named.seen,
        looked_at,
        named: named.chosen,
        listed: listed.sizes,
        unnamed,
    })
}

impl StartedComparison {
    /// Checks each apparent fault again.
    pub async fn finish(self, app: &App) -> Result<Comparison> {
        let looked_for = self.named.len();
        let (missing, damaged) = faults(app, self.named, &self.listed).await?;
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

/// The number of rows that one query reads.
const ROWS_PER_QUERY: i64 = 1000;

/// Objects to which artworks refer: all of them, or a uniform random sample.
struct Named<'a> {
    app: &'a App,
    max_objects: usize,
    chosen: Vec<NamedObject>,
    seen: usize,
}

impl<'a> Named<'a> {
    fn new(app: &'a App, thoroughness: Thoroughness) -> Self {
        Self {
            app,
            max_objects: match thoroughness {
                Thoroughness::Sample => SAMPLE_SIZE,
                Thoroughness::Full => usize::MAX,
            },
            chosen: Vec::new(),
            seen: 0,
        }
    }

    /// Adds an object to the sample with Algorithm R (Vitter, "Random sampling with a reservoir", 1985).
    fn add(&mut self, object: NamedObject) {
        self.seen += 1;
        if self.chosen.len() < self.max_objects {
            self.chosen.push(object);
        } else if let Some(place) = self.chosen.get_mut(self.app.random.below(self.seen)) {
            *place = object;
        }
    }
}

/// The number of objects that are looked up in the store at a time: a store on the network takes a while for each.
const MAX_LOOKUPS: usize = 16;

/// The missing objects and those of a different size, as far as an artwork still refers to them.
async fn faults(
    app: &App,
    named: Vec<NamedObject>,
    listed: &BTreeMap<String, u64>,
) -> Result<(Vec<NamedObject>, Vec<NamedObject>)> {
    // An object that was listed with its size need not be looked up again.
    let is_unclear = |object: &NamedObject| match listed.get(&object.key) {
        Some(size) => object.size.is_some_and(|expected| expected != *size),
        None => true,
    };
    let lookups = named.into_iter().filter(is_unclear).map(async |object| {
        let found = app.storage.open(&object.key).await?.map(|found| found.size);
        Ok::<_, Error>((object, found))
    });
    let mut lookups = futures::stream::iter(lookups).buffered(MAX_LOOKUPS);
    let (mut missing, mut damaged) = (Vec::new(), Vec::new());
    while let Some((object, found)) = lookups.try_next().await? {
        let faulty = match found {
            None => &mut missing,
            Some(found) if object.size.is_some_and(|size| size != found) => &mut damaged,
            Some(_) => continue,
        };
        // An object that was discarded since may already be deleted: then it has neither a mark nor an artwork.
        if !is_marked(app, &object.key).await? && store::is_named(&app.database.read, &object.artwork_id).await? {
            faulty.push(object);
        }
    }
    Ok((missing, damaged))
}

/// The objects that exist and were not discarded since the artworks were read.
async fn orphans(app: &App, unnamed: HashSet<String>) -> Result<Vec<String>> {
    let lookups = unnamed.into_iter().map(async |key| {
        let is_there = app.storage.open(&key).await?.is_some();
        Ok::<_, Error>((key, is_there))
    });
    let mut lookups = futures::stream::iter(lookups).buffered(MAX_LOOKUPS);
    let mut orphans = Vec::new();
    while let Some((key, is_there)) = lookups.try_next().await? {
        if is_there && !is_marked(app, &key).await? {
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
        let marked = store::marked_after(&app.database.read, &after, ROWS_PER_QUERY).await?;
        let Some(last) = marked.last() else { return Ok(()) };
        after.clone_from(last);
        for key in &marked {
            unnamed.remove(key);
        }
    }
}
