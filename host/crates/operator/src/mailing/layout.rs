//! The form of mails: the same words as plain text and as simple HTML.
use std::borrow::Cow;

use linepress_platform::app::App;

/// A mail in words.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    /// The address of the recipient.
    pub to: String,
    pub subject: String,
    pub paragraphs: Vec<String>,
    /// The page to which the mail leads.
    pub link: Link,
    /// The paragraphs after the link.
    pub closing: Vec<String>,
    /// The URL that switches such mails off; `None` if the recipient cannot switch them off.
    pub unsubscribe: Option<String>,
}

/// A link to a page of the server.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub label: &'static str,
    pub url: String,
}

/// The colors of the link in a mail of a server without colors of its own: those of main buttons in style.css.
const BACKGROUND: &str = "#ffcb2e";
const INK: &str = "#23211d";

impl Letter {
    pub(super) fn text(&self, app: &App) -> String {
        let Link { label, url } = &self.link;
        let mut parts = self.paragraphs.clone();
        parts.push(format!("{label}:\n{url}"));
        parts.extend(self.closing.iter().cloned());
        let mut end = format!("-- \n{}\n{}", app.config.appearance.name, app.config.public_url);
        if let Some(url) = &self.unsubscribe {
            end.push_str(&format!("\n\nTo receive no more notices of this kind:\n{url}"));
        }
        parts.push(end);
        parts.join("\n\n") + "\n"
    }

    /// Without pictures, scripts and style sheets, which many programs remove, and without anything that is loaded,
    /// which would report that the mail was opened.
    pub(super) fn html(&self, app: &App) -> String {
        let (background, ink) = match &app.config.appearance.color {
            Some(accent) => (accent.light.background.to_string(), accent.light.text.to_string()),
            None => (BACKGROUND.into(), INK.into()),
        };
        let paragraph = |text: &String| format!("<p>{}</p>\n", escaped(text));
        let name = escaped(&app.config.appearance.name);
        let (label, url) = (self.link.label, escaped(&self.link.url));
        let unsubscribe = self.unsubscribe.as_ref().map(|url| {
            let url = escaped(url);
            format!("<br>\n<a href=\"{url}\" style=\"color:#595959\">Receive no more notices of this kind</a>")
        });
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{subject}</title></head>\n\
             <body style=\"margin:0;padding:24px;font:16px/1.5 sans-serif;color:{INK};background:#ffffff\">\n\
             <p><strong>{name}</strong></p>\n{paragraphs}\
             <p><a href=\"{url}\" style=\"display:inline-block;padding:12px 20px;border-radius:8px;background:{background};\
             color:{ink};text-decoration:none;font-weight:bold\">{label}</a></p>\n\
             <p style=\"font-size:14px\">If the button does not work, open this address:<br>\n{url}</p>\n{closing}\
             <p style=\"font-size:14px;color:#595959\">{name}, <a href=\"{home}\" style=\"color:#595959\">{home}</a>{unsubscribe}</p>\n\
             </body>\n</html>\n",
            subject = escaped(&self.subject),
            paragraphs = self.paragraphs.iter().map(paragraph).collect::<String>(),
            closing = self.closing.iter().map(paragraph).collect::<String>(),
            home = escaped(&app.config.public_url),
            unsubscribe = unsubscribe.unwrap_or_default(),
        )
    }
}

/// The text as content and as an attribute in double quotes.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return text.into();
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_add_markup() {
        assert_eq!(escaped("Fox & hare"), "Fox &amp; hare");
        assert_eq!(escaped("<b title=\"x\">"), "&lt;b title=&quot;x&quot;&gt;");
    }
}
