"""Tell the site where it will be published, from the one place that names the repository."""

from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.config import Config


def pages_address(repository: str) -> str:
    """Return where GitHub Pages publishes a repository's site, "" for any other host.

    "https://github.com/owner/name" gives "https://owner.github.io/name/".
    """
    parts = urlsplit(repository)
    names = parts.path.strip("/").split("/")
    if parts.netloc != "github.com" or len(names) != 2:
        return ""
    owner, name = names
    return f"https://{owner}.github.io/{name}/"


def set_address(app: Sphinx, config: Config) -> None:
    """Give Sphinx and the social card the site's address (handler of ``config-inited``).

    Cards are found by absolute addresses alone; pages name theirs as the canonical one.
    """
    address = pages_address(config.html_theme_options.get("repository_url", ""))
    config.html_baseurl = config.ogp_site_url = address
