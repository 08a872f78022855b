"""Stores the changes of a service, each once, in order: LOYALTY_EDGE_TOKEN=… URL=… python3 follow.py"""
import http.client, json, os, re, sqlite3, sys, time
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

service = os.environ.get("URL", "http://127.0.0.1:8787")
token = os.environ["LOYALTY_EDGE_TOKEN"]
database = sqlite3.connect("record.sqlite")
database.execute("CREATE TABLE IF NOT EXISTS follower (after TEXT)")
database.execute("CREATE TABLE IF NOT EXISTS changes (version INTEGER PRIMARY KEY, change TEXT)")
row = database.execute("SELECT after FROM follower").fetchone()
after = row[0] if row else "first"

def ask():  # a page of changes and the cursor of the next; None while the service is away
    address = f"{service}/api/v1/feed/changes?{urlencode({'after': after})}"
    request = Request(address, headers={"Authorization": f"Bearer {token}"})
    try:
        with urlopen(request, timeout=60) as answer:
            link = re.search(r'<([^>]*)>; rel="next"', answer.headers["Link"])[1]
            return answer.read().decode().split("\n")[:-1], parse_qs(urlsplit(link).query)["after"][0]
    except HTTPError as error:
        if error.code == 410:
            sys.exit("Take an export, load it, and begin after its cursor.")
        if error.code not in (429, 502, 503, 504):
            raise
    except (URLError, TimeoutError, ConnectionError, http.client.HTTPException):
        pass

while True:
    page = ask()
    if page and page[1] != after:
        with database:  # one transaction
            for line in page[0]:
                database.execute("INSERT INTO changes VALUES (?, ?)", (json.loads(line)["version"], line))
            database.execute("DELETE FROM follower")
            database.execute("INSERT INTO follower VALUES (?)", (page[1],))
        after = page[1]
    else:
        time.sleep(5)
