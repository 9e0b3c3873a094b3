//! A browser with cookies and forms, and without scripts.
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::IpAddr;

use crate::testing;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, Response, StatusCode};
use futures::{StreamExt as _, stream};
use linepress_accounts::accounts::Plan;
use linepress_accounts::caller::Caller;
use linepress_accounts::sign_in;
use linepress_accounts::sign_in::second_factor::PasswordSignIn;
use linepress_http::client_address::PeerAddress;
use tower::ServiceExt as _;

use super::{Form, TestApp};

/// The password of every account in the tests.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A browser. It is cheap to clone: a clone has the same cookies until one of the two receives others.
#[derive(Clone)]
pub(crate) struct Browser {
    router: Router,
    pub(crate) cookies: BTreeMap<String, String>,
    /// Additional headers of every request.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) address: Option<IpAddr>,
}

/// A page, read to its end.
#[derive(Debug)]
pub(crate) struct Html {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl TestApp {
    /// Returns a browser in which no account is signed in.
    pub(crate) fn browser(&self) -> Browser {
        Browser::of(self.router.clone())
    }

    /// Creates an account and returns a browser in which it is signed in.
    pub(crate) async fn person(&self, email: &str, plan: Plan, credits: i64) -> Browser {
        testing::create_account_with_password(&self.server, email, plan, credits, PASSWORD)
            .await
            .unwrap();
        let mut browser = self.browser();
        browser.sign_in(email, PASSWORD).await.expect_redirect("/");
        browser
    }
}

impl TestApp {
    /// Returns the owner of an account with the usual password, signed in for this call.
    pub(crate) async fn owner(&self, email: &str) -> Caller {
        let signed_in = sign_in::with_password(&self.server, email, PASSWORD, "::1")
            .await
            .unwrap();
        match signed_in.expect("the account has the usual password") {
            PasswordSignIn::Complete(session) => session.caller,
            PasswordSignIn::AwaitsCode(_) => panic!("the account has a second factor"),
        }
    }

    /// Returns a browser in which an existing account, such as one that uses the API, is signed in.
    pub(crate) async fn browser_of(&self, email: &str) -> Browser {
        let account = self.account_of(email).await;
        testing::set_password(&self.server, &account, PASSWORD).await.unwrap();
        let mut browser = self.browser();
        browser.sign_in(email, PASSWORD).await.expect_redirect("/");
        browser
    }
}

impl Browser {
    /// Returns a browser in which no account is signed in, for the server behind this router.
    pub(crate) fn of(router: Router) -> Self {
        Self {
            router,
            cookies: BTreeMap::new(),
            headers: Vec::new(),
            address: None,
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> Html {
        self.send("GET", path, None).await
    }

    /// Sends a form with exactly these fields.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Html {
        let form = url_encoded(fields);
        self.send("POST", path, Some(form)).await
    }

    /// Sends a form with the CSRF token of the page at `page`.
    pub(crate) async fn submit(&mut self, page: &str, path: &str, fields: &[(&str, &str)]) -> Html {
        let token = self.csrf_token(page).await;
        let mut fields = fields.to_vec();
        fields.push(("csrf_token", &token));
        self.post(path, &fields).await
    }

    /// Sends a form of this page with other values.
    pub(crate) async fn send_form(&mut self, page: &Html, action: &str, changes: &[(&str, &str)]) -> Html {
        let mut fields = page.form(action);
        for (name, value) in changes {
            match fields.iter_mut().find(|(field, _)| field == name) {
                Some(field) => field.1 = (*value).into(),
                None => fields.push(((*name).into(), (*value).into())),
            }
        }
        self.post(action, &borrowed(&fields)).await
    }

    /// Returns the CSRF token of the page at this path.
    pub(crate) async fn csrf_token(&mut self, page: &str) -> String {
        self.get(page).await.value_of("csrf_token")
    }

    pub(crate) async fn sign_in(&mut self, email: &str, password: &str) -> Html {
        self.post("/sign-in", &[("email", email), ("password", password)]).await
    }

    /// Reports whether an account is signed in.
    pub(crate) async fn is_signed_in(&mut self) -> bool {
        self.get("/account").await.status == StatusCode::OK
    }

    /// Sends a form with a file.
    pub(crate) async fn send_file(&mut self, path: &str, form: Form) -> Html {
        let sent = (Form::media_type(), form.finish().into());
        Html::read(self.respond("POST", path, Some(sent)).await).await
    }

    /// Sends a form whose second half follows when `meanwhile` has completed; `meanwhile` starts once the server has
    /// read the first half.
    pub(crate) async fn post_around(
        &mut self,
        path: &str,
        fields: &[(&str, &str)],
        meanwhile: impl Future<Output = ()> + Send + 'static,
    ) -> Html {
        let form = url_encoded(fields).into_bytes();
        let sent = ("application/x-www-form-urlencoded".to_owned(), around(form, meanwhile));
        Html::read(self.respond("POST", path, Some(sent)).await).await
    }

    /// Sends a form with a file in the same way as `post_around`.
    pub(crate) async fn send_file_around(
        &mut self,
        path: &str,
        form: Form,
        meanwhile: impl Future<Output = ()> + Send + 'static,
    ) -> Html {
        let sent = (Form::media_type(), around(form.finish(), meanwhile));
        Html::read(self.respond("POST", path, Some(sent)).await).await
    }

    /// Returns a response whose body has not been read.
    pub(crate) async fn open(&mut self, path: &str) -> Response<Body> {
        self.respond("GET", path, None).await
    }

    async fn send(&mut self, method: &str, path: &str, form: Option<String>) -> Html {
        let sent = form.map(|form| ("application/x-www-form-urlencoded".to_owned(), form.into()));
        Html::read(self.respond(method, path, sent).await).await
    }

    async fn respond(&mut self, method: &str, path: &str, sent: Option<(String, Body)>) -> Response<Body> {
        let path = path.strip_prefix("http://linepress.test").unwrap_or(path);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("accept", "text/html");
        if !self.cookies.is_empty() {
            let cookies: Vec<String> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header("cookie", cookies.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let (kind, body) = sent.map_or((None, Body::empty()), |(kind, body)| (Some(kind), body));
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        if let Some(address) = self.address {
            request = request.extension(PeerAddress(address));
        }
        let request = request.body(body).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        self.keep_cookies(response.headers());
        response
    }

    fn keep_cookies(&mut self, headers: &HeaderMap) {
        for line in headers.get_all("set-cookie") {
            let line = line.to_str().unwrap();
            let (name, rest) = line.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if line.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.into(), value.into());
            }
        }
    }
}

impl Html {
    async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap(),
        }
    }

    /// Fails unless the page has this status and contains the text.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16, text: &str) -> &Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert!(self.text.contains(text), "{text:?} is not in {}", self.text);
        self
    }

    /// Fails unless the response redirects to this address.
    #[track_caller]
    pub(crate) fn expect_redirect(&self, to: &str) -> &Self {
        assert_eq!(self.status.as_u16(), 303, "{}", self.text);
        assert_eq!(self.header("location"), to);
        self
    }

    /// The same for an address that may also have parameters with which what was done is taken back.
    #[track_caller]
    pub(crate) fn expect_done(&self, to: &str) -> &Self {
        assert_eq!(self.status.as_u16(), 303, "{}", self.text);
        let location = self.header("location");
        let (address, part) = location
            .split_once('#')
            .map_or((location, None), |(address, part)| (address, Some(part)));
        let address = address.split('&').next().unwrap_or_default();
        assert_eq!(part.map_or(address.to_owned(), |part| format!("{address}#{part}")), to);
        self
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .unwrap_or_else(|| panic!("no header {name}: {:?}", self.headers))
            .to_str()
            .unwrap()
    }

    /// Returns the content of the part with this name, which the script for live pages replaces, up to the end of the
    /// first division in it.
    #[track_caller]
    pub(crate) fn part(&self, name: &str) -> &str {
        let part = self.text.split_once(&format!("data-part=\"{name}\">"));
        let (_, part) = part.unwrap_or_else(|| panic!("no part {name} in {}", self.text));
        part.split("</div>").next().unwrap()
    }

    /// Returns the fields of the form with this action as a browser would send them, without buttons and files.
    #[track_caller]
    pub(crate) fn form(&self, action: &str) -> Vec<(String, String)> {
        let action = format!("action=\"{action}\"");
        let form = self.text.split("<form").find(|form| form.contains(&action));
        let form = form.unwrap_or_else(|| panic!("no form with {action} in {}", self.text));
        let decoded = |text: &str| text.replace("&#34;", "\"").replace("&#39;", "'").replace("&#38;", "&");
        let attribute = |tag: &str, name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            Some(decoded(rest.split('"').next()?))
        };
        let mut fields = Vec::new();
        for tag in form.split("</form>").next().unwrap().split('<') {
            let kind = attribute(tag, "type").unwrap_or_default();
            let is_unchecked = matches!(kind.as_str(), "radio" | "checkbox") && !tag.contains(" checked");
            if tag.starts_with("input") && !is_unchecked && kind != "file" {
                let value = attribute(tag, "value").unwrap_or_default();
                fields.push((attribute(tag, "name").unwrap(), value));
            } else if tag.starts_with("textarea") {
                let (tag, text) = tag.split_once('>').unwrap();
                let text = decoded(text.strip_prefix('\n').unwrap_or(text));
                fields.push((attribute(tag, "name").unwrap(), text));
            }
        }
        fields
    }

    /// Returns the value of the first field with this name.
    #[track_caller]
    pub(crate) fn value_of(&self, field: &str) -> String {
        let named = self
            .text
            .split("<input")
            .find(|input| input.contains(&format!("name=\"{field}\"")));
        let named = named.unwrap_or_else(|| panic!("no field {field} in {}", self.text));
        let (_, rest) = named.split_once("value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }
}

/// A body that sends its first half, waits for `meanwhile`, and sends the rest.
fn around(mut body: Vec<u8>, meanwhile: impl Future<Output = ()> + Send + 'static) -> Body {
    let end = body.split_off(body.len() / 2);
    let begun = stream::once(async { Ok::<_, Infallible>(body) });
    Body::from_stream(begun.chain(stream::once(async {
        meanwhile.await;
        Ok(end)
    })))
}

/// Borrows the fields of a form, as `Browser::post` takes them.
pub(crate) fn borrowed(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

fn url_encoded(fields: &[(&str, &str)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    form.finish()
}
