"""Check a built site: every link has a target, and no page loads anything from the network."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements that load a file, and the attribute with its address.
LOADED = {"img": "src", "script": "src", "link": "href"}


class Page(HTMLParser):
    """The link targets and the references of a page."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.references = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        """Collect the targets and references of an element."""
        given = dict(attributes)
        self.targets |= {given[name] for name in ("id", "name") if given.get(name)}
        reference = given.get(LOADED.get(tag, "href"))
        if reference:
            self.references.append((tag, reference))


def problems(root):
    """Yield one line per problem; skip the pages of the crate and static templates."""
    paths = [
        path for path in sorted(root.rglob("*.html")) if path.relative_to(root).parts[0] not in ("crate", "_static")
    ]
    pages = {path: Page(path) for path in paths}
    for path, page in pages.items():
        for tag, reference in page.references:
            url = urlsplit(reference)
            if url.scheme or url.netloc:
                if tag in LOADED and url.scheme != "data":
                    yield f"{path.relative_to(root)} loads {reference}"
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.is_file():
                yield f"{path.relative_to(root)}: {reference} does not exist"
            elif url.fragment and target in pages and unquote(url.fragment) not in pages[target].targets:
                yield f"{path.relative_to(root)}: {reference} has no such target"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "all links of the site work")
    sys.exit(bool(found))
