"""A user with a browser without scripts, who follows links, stores cookies and fills in forms."""

from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlparse

import httpx2


class _Forms(HTMLParser):
    """The forms of a page: the action and the default fields of each."""

    def __init__(self):
        super().__init__()
        self.forms = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.forms.append({"action": given.get("action"), "fields": [], "decides": False})
        elif tag == "button" and self.forms and given.get("name") == "decision":
            self.forms[-1]["decides"] = True
        elif tag == "input" and self.forms and given.get("name"):
            is_box = given.get("type") in ("checkbox", "radio")
            if not is_box or "checked" in given:
                self.forms[-1]["fields"].append((given["name"], given.get("value", "on" if is_box else "")))


class Person:
    """A user who signs in and consents when an agent's client opens the authorization page."""

    def __init__(self, email, password, callback):
        self.email, self.password, self.callback = email, password, callback
        self.browser = httpx2.AsyncClient(follow_redirects=False, timeout=60, headers={"accept": "text/html"})

    async def decide(self, url):
        """Follows an authorization address to its end; returns the parameters of the redirect to the client."""
        response = await self.browser.get(url)
        for _ in range(10):
            if response.is_redirect:
                target = urljoin(str(response.url), response.headers["location"])
                if target.startswith(self.callback):
                    return {name: values[0] for name, values in parse_qs(urlparse(target).query).items()}
                response = await self.browser.get(target)
                continue
            response = await self._fill_in(response)
        raise AssertionError(f"the sign-in does not end: {response.url}")

    async def _fill_in(self, response):
        assert response.status_code == 200, f"{response.url}: {response.status_code}\n{response.text}"
        page = _Forms()
        page.feed(response.text)
        for form in page.forms:
            names = [name for name, _ in form["fields"]]
            own = {"email": self.email, "password": self.password}
            if "password" in names:
                fields = [(name, own.get(name, value)) for name, value in form["fields"]]
            elif form["decides"]:
                fields = form["fields"] + [("decision", "approve")]
            else:
                continue
            target = urljoin(str(response.url), form["action"] or "")
            origin = "{0.scheme}://{0.netloc}".format(urlparse(target))
            data = {}
            for name, value in fields:
                data.setdefault(name, []).append(value)
            return await self.browser.post(target, data=data, headers={"origin": origin})
        raise AssertionError(f"nothing to fill in at {response.url}:\n{response.text}")
