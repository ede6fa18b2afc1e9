// Names of Python modules a script must not be confused with. Data only.

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Modules of the standard library, of Python 3.9 to 3.14, whose names are in lower case. */
export const STANDARD_MODULES: ReadonlySet<string> = words(`
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64
    bdb binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop
    collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg
    crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading
    email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions
    ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
    http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache
    locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
    multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
    parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline
    reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd
    smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics
    string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile
    telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize tomllib trace
    traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv
    warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib
    zoneinfo
`);

/** Libraries so well known that a script of the same name hides one sooner or later; import names and others. */
export const KNOWN_LIBRARIES: ReadonlySet<string> = words(`
    aiohttp anthropic attrs beautifulsoup4 boto3 bs4 certifi cffi chardet charset_normalizer click
    cryptography curl_cffi dateutil django docker dotenv fastapi feedparser flask google html5lib httpx
    httpcore idna jinja2 jsonschema lxml markdown matplotlib networkx nltk numpy oauthlib openai openpyxl
    packaging pandas paramiko peewee pendulum pil pillow pip playwright plotly polars protobuf psutil
    psycopg pyarrow pydantic pygments pymongo pypdf pytest pytz redis requests rich scipy selenium
    setuptools six sklearn spacy sqlalchemy starlette sympy tabulate tenacity torch tqdm transformers
    trafilatura typer tzdata urllib3 uvicorn websocket websockets werkzeug wikipedia wheel xmltodict yaml
    yfinance zstandard
`);

/** Words of the language that cannot be attribute names. */
export const PYTHON_KEYWORDS: ReadonlySet<string> = words(`
    and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
`);

/** Modules and libraries that open connections. */
export const NETWORK_MODULES: ReadonlySet<string> = words(`
    aiohttp boto3 feedparser ftplib http.client httpx imaplib openai paramiko poplib requests smtplib socket
    telnetlib urllib.request urllib3 websocket websockets wikipedia xmlrpc.client yfinance
`);
