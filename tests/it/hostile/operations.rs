//! Every operation of the OpenAPI document, called with what it takes, and the words that no answer may hold.
use axum::body::Body;
use linepress::app::App;
use serde_json::{Value, json};

use crate::house::{Actor, Form, House, Reply, pictures};

/// A word that nobody would say by chance.
pub const PLANTED: &str = "grimpenmire";

/// What belongs to the inside of any server.
const INSIDE: [&str; 19] = [
    PLANTED,
    "/root",
    "src/",
    ".rs:",
    "panicked",
    "backtrace",
    "sqlx",
    "SELECT",
    "sqlite",
    "postgres",
    "no such table",
    "relation \"",
    "closed pool",
    "wasm",
    "127.0.0.1",
    "localhost",
    "os error",
    "10.1.2.3",
    "objects/",
];

/// What somebody says who tells too much.
pub fn words() -> String {
    format!("{PLANTED}: GET https://10.1.2.3/v1?key={PLANTED} failed at /root/{PLANTED}/src/main.rs:7")
}

/// Fails when an answer tells about the inside, in its body or in a header.
#[track_caller]
pub fn check_words(app: &App, name: &str, reply: &Reply) {
    let body = String::from_utf8_lossy(&reply.body);
    let headers = format!("{:?}", reply.headers);
    let folder = app.config.data_dir.to_str().unwrap();
    for word in INSIDE.into_iter().chain([folder]) {
        assert!(!headers.contains(word), "{name}: {word} in {headers}");
        assert!(!body.contains(word), "{name}: {word} in {body}");
    }
}

/// Resources by kind.
struct Known {
    page: String,
    character: String,
    book: String,
    page_of_book: String,
    operation: String,
}

/// An account with resources for every operation.
pub struct Stage<'a> {
    house: &'a House,
    ada: Actor,
    prompt: &'static str,
    requests: usize,
    /// For what reads and changes.
    kept: Option<Known>,
    operations: Vec<(String, String, String)>,
}

impl<'a> Stage<'a> {
    /// `prompt` is what everything is to show that there is. All that is asked for later is refused, which is quick.
    pub async fn set(house: &'a House, prompt: &'static str) -> Self {
        let mut stage = Self {
            house,
            ada: house.account(1_000).await,
            prompt,
            requests: 0,
            kept: None,
            operations: operations(house).await,
        };
        stage.kept = Some(stage.make().await);
        house.draw_everything().await;
        stage.prompt = "refused";
        stage
    }

    /// Makes a page, a character and a book, and draws nothing.
    async fn make(&mut self) -> Known {
        let id = |resource: &Value| resource["id"].as_str().unwrap().to_owned();
        let mut made = Vec::new();
        for name in ["create_page", "create_character", "create_book"] {
            let path = format!("/{}s", name.strip_prefix("create_").unwrap());
            let Some(Content::Json(body)) = self.content(name, None) else {
                panic!("{name} takes JSON")
            };
            self.requests += 1;
            let key = format!("make-{}", self.requests);
            made.push(self.ada.generate(&path, &key, &body).await.expect(202));
        }
        Known {
            page: id(&made[0]["page"]),
            character: id(&made[1]["character"]),
            book: id(&made[2]["book"]),
            page_of_book: id(&made[2]["book"]["pages"][0]),
            operation: id(&made[2]["operation"]),
        }
    }

    /// Calls every operation, once `broken` has been done, and checks the words of each answer; answers them by name.
    pub async fn call_all(&mut self, broken: impl AsyncFnOnce()) -> Vec<(String, Reply)> {
        self.house.draw_everything().await;
        let doomed = self.make().await;
        broken().await;
        let mut replies = Vec::new();
        for (name, method, path) in self.operations.clone() {
            let kept = self.kept.as_ref().unwrap();
            let known = if method == "DELETE" { &doomed } else { kept };
            let reply = self.call(&name, &method, &known.fill(&path)).await;
            check_words(&self.house.app, &name, &reply);
            if reply.status.is_client_error() || reply.status.is_server_error() {
                reply.expect_error(reply.status.as_u16(), reply.json()["error"]["code"].as_str().unwrap());
            }
            replies.push((name, reply));
            self.requests += 1;
        }
        replies
    }

    async fn call(&self, name: &str, method: &str, path: &str) -> Reply {
        let key = format!("call-{}", self.requests);
        let (kind, body) = match self.content(name, self.kept.as_ref()) {
            None => (String::new(), Body::empty()),
            Some(Content::Json(json)) => ("application/json".into(), json.to_string().into()),
            Some(Content::Form(form)) => (Form::media_type(), form.finish().into()),
        };
        let headers = [("idempotency-key", &*key), ("content-type", &*kind)];
        let headers = if kind.is_empty() { &headers[..1] } else { &headers[..] };
        self.ada.send(method, path, headers, body).await
    }

    fn content(&self, name: &str, known: Option<&Known>) -> Option<Content> {
        let prompt = self.prompt;
        let page = json!({"title": "A page", "prompt": prompt, "aspect": "square"});
        let picture = pictures::png(512, 512);
        Some(match name {
            "plan_book" => Content::Json(json!({"book_plan": {"theme": "Woods", "page_count": 2}})),
            "create_book" => Content::Json(json!({"book": {
                "title": "A book", "aspect": "square", "cover": {"prompt": prompt}, "pages": [{"title": "A page", "prompt": prompt}],
            }})),
            "update_book" | "put_book" => Content::Json(json!({"book": {"title": "Another"}})),
            "add_book_page" | "create_page" => Content::Json(json!({"page": page})),
            "reorder_book_pages" => Content::Json(json!({"page_ids": [known?.page_of_book]})),
            "create_character" => {
                Content::Json(json!({"character": {"name": "Pip", "description": prompt, "public_preview": true}}))
            }
            "update_character" | "put_character" => Content::Json(json!({"character": {"name": "Pippa"}})),
            "regenerate_character" => Content::Json(json!({"character": {"description": prompt}})),
            "regenerate_page" => Content::Json(json!({"page": {"prompt": prompt}})),
            "update_page" | "put_page" => Content::Json(json!({"page": {"title": "Another"}})),
            "import_page" => Content::Form(Form::titled("Mine").picture("mine.png", &picture)),
            "replace_page_image" => Content::Form(Form::new().picture("mine.png", &picture)),
            _ => return None,
        })
    }
}

impl Known {
    fn fill(&self, path: &str) -> String {
        let kinds = [
            ("/pages", &self.page),
            ("/characters", &self.character),
            ("/books", &self.book),
            ("/operations", &self.operation),
        ];
        let of_kind = kinds.into_iter().find(|(kind, _)| path.starts_with(kind));
        let id = of_kind.map_or("", |(_, id)| id);
        path.replace("{id}", id).replace("{page_id}", &self.page_of_book)
    }
}

enum Content {
    Json(Value),
    Form(Form),
}

/// Name, method and path of every operation: what reads first, then what changes, makes and deletes.
async fn operations(house: &House) -> Vec<(String, String, String)> {
    let document = house.stranger().get("/openapi.json").await.expect(200);
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if let Some(name) = operation["operationId"].as_str() {
                operations.push((name.to_owned(), method.to_uppercase(), path.clone()));
            }
        }
    }
    let order = ["GET", "PATCH", "PUT", "POST", "DELETE"];
    let place = |method: &str| order.iter().position(|other| *other == method);
    // A page leaves its book before either is deleted.
    operations.sort_by_key(|(_, method, path)| (place(method), method == "DELETE" && !path.ends_with("{page_id}")));
    assert!(operations.len() >= 36, "{operations:?}");
    operations
}
