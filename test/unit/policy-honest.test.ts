// Honest work: calls as people and models write them every day. The argument rules never get in their way.
import { describe, expect, test } from "bun:test";
import { judgeArguments } from "../../src/policy/arguments.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts();

/** One call per line; arguments are separated by two blanks, so that one may hold a blank. */
const calls = (text: string): [string, readonly string[]][] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [command = "", ...args] = line.split(/ {2,}/).map((arg) => arg.replaceAll("<NL>", "\n"));
      return [command, args];
    });

const FILES = calls(String.raw`
  ls  -la
  ls  -la  ~
  ls  -lhS  --color=never  src
  ls  -1t
  cat  -n  a.txt
  head  -5
  head  -n  20  a.txt
  head  -c  200  a.txt
  tail  -n  +3
  tail  -50  a.txt
  wc  -lw  a.txt  b.txt
  stat  -c  %s %n  f
  file  -b  --mime-type  f
  du  -sh  *
  du  -h  --max-depth=1  .
  df  -hT
  df  -i  /
  find  .  -name  *.ts  -not  -path  */node_modules/*  -size  +1M  -printf  %s %p\n
  find  .  -maxdepth  1  -type  d
  find  /  -name  passwd  -not  -path  /proc/*
  find  .  -type  f  (  -name  *.a  -o  -iname  *.b  )  -mtime  -7  -print
  tree  -L  2  -a  -I  .git|node_modules
  tree  -d  --noreport  src
  readlink  -f  a.txt
  realpath  .
  diff  -u  a  b
  diff  -rq  one  two
  cmp  a  b
  md5sum  a.txt
  sha256sum  a.txt  b.txt
  xxd  -l  64  a.bin
  od  -An  -tx1  a.bin
  hexdump  -C  a.bin
  base64  -d  a.b64
  strings  -n  8  a.bin
  unzip  -l  a.zip
  unzip  -p  a.zip  sub/b.txt
  zipinfo  a.zip
`);

const TEXT = calls(String.raw`
  grep  -E  a|b
  grep  -rn  TODO  src
  grep  -rniI  --include=*.ts  --exclude-dir=node_modules  TODO  src
  grep  -oP  \d+(?=;)  a.txt
  grep  -v  ^#  a.txt
  grep  -A3  -B  3  x  a.txt
  grep  -c  $(id); > x & y  a.txt
  rg  -n  --hidden  -g  !node_modules  foo
  rg  -il  -t  py  def |class
  rg  -C2  -e  -foo  src
  rg  --files
  sort  -k2,2nr
  sort  -t,  -k2  -n  a.csv
  sort  -u  -h  a.txt
  uniq  -c
  cut  -d:  -f1,3-
  cut  -d  ;  -f2  a.txt
  tr  -s   |  \n
  tr  a-z  A-Z
  paste  -sd,
  column  -t  -s,  a.csv
  nl  -ba  a.txt
  fold  -sw  80  a.txt
  comm  -12  a  b
  join  -t,  a  b
  shuf  -n  5  a.txt
  seq  1  2  10
  printf  %s\n  a;b  $(x)
  echo  a > b | c && d
  expr  1  +  2
  bc  -l
  numfmt  --to=iec  1048576
  date  -d  yesterday  +%F
  date  +%Y-%m-%d %H:%M
  date  -u  -d  @1700000000
  cal  11  2026
  jq  .a | .b
  jq  -r  .[] | select(.n > 1) | "\(.k): \(.v)"  d.json
  jq  -s  map(.x) | add  d.json
  jq  --arg  k  v  .[$k] // empty  d.json
  jq  [.. | .name? // empty] | unique  d.json
  sqlite3  -header  -column  a.db  select name, count(*) from t group by 1 having count(*) > 2;
  sqlite3  a.db  .schema users
`);

const PROGRAMS = calls(String.raw`
  awk  $3 > 5
  awk  -F:  {print $1}  /etc/passwd
  awk  {s+=$1} END {print s}
  awk  NR==FNR{a[$1];next} $1 in a  f  g
  awk  length > 80
  awk  !seen[$0]++
  awk  {printf "%-10s %s\n", $1, $2}
  awk  { $1=""; print }
  awk  NR>1{sum+=$3} END{print sum/(NR-1)}
  awk  -v  OFS=,  {$1=$1}1
  awk  /start/,/end/
  awk  {a[NR]=$0} END{for(i=NR;i>0;i--)print a[i]}
  awk  {print length($0) / 2}
  awk  {if ($1 ~ /^[0-9]+$/) c++} END{print c+0}
  awk  {gsub(/[^a-z\/]/,"")}1
  awk  { match($0, /[0-9]+/); print substr($0, RSTART, RLENGTH) }
  awk  $2 >= 10 && $3 != "x" || /y|z/
  awk  BEGIN{FS=","; OFS="|"} {print $2, ($3>4 ? "hi" : "lo")}
  awk  {n[$1]++; if ($2 > max) {max = $2; who = $1}} END {print who, max}
  awk  -F|  {print $2 "|" $3}  a.txt
  awk  {<NL>  total += $2<NL>  print total<NL>}
  awk  function f(x) { return x*2 } { print f($1) }
  sed  -n  1,5p;/x/{s/a/b/g;p}
  sed  -n  10,20p  a.txt
  sed  /^$/d;/^#/d
  sed  -E  s/([0-9]+)/<\1>/g  a.txt
  sed  1d;$d
  sed  -n  /a/,/b/p
  sed  s#/#-#g
  sed  $!d
  sed  5q
  sed  -n  $=
  sed  s/[^/]*$//
  sed  s|.*/||
  sed  /a/{n;d}
  sed  s/.*/"&"/
  sed  1!G;h;$!d
  sed  s/^[ \t]*//;s/[[:space:]]*$//
  sed  -e  :a  -e  $!N;s/\n//;ta
  sed  :a;N;$!ba;s/\n/, /g
  sed  -n  H;$ {x;s/\n/,/g;p}
  sed  y/abc/ABC/
  sed  0~3d
  sed  /x/!s/a/b/
  sed  2i\<NL>inserted line
  sed  $a the end
`);

const MACHINE = calls(`
  ps  aux
  ps  aux  --sort=-%cpu
  ps  -ef
  ps  -eo  pid,ppid,user:20,pcpu,rss,cmd  --sort=-rss
  ps  -p  1  -o  comm=
  ps  axjf
  ps  -eLf
  ps  --no-headers  -o  pcpu  -p  1
  ps  -u  root  -o  pid,args
  pgrep  -fl  node
  top  -b  -n  1
  top  -bn1  -o  %MEM
  lsof  -i  -P  -n
  lsof  -i  :8080
  lsof  -iTCP  -sTCP:LISTEN
  ss  -tulpn
  netstat  -tulpn
  ip  -br  a
  ip  addr  show  dev  eth0
  ip  route
  free  -h
  uptime  -p
  uname  -a
  lscpu
  lsblk  -o  NAME,SIZE,TYPE,MOUNTPOINT
  vmstat  1  3
  iostat  -x  1  2
  dmesg  -T  --level=err
  journalctl  -u  ssh  -n  50  --no-pager
  who
  last  -5
  id  -un
  printenv  PATH
  which  -a  python3
  man  5  passwd
  sysctl  vm.swappiness
  getent  passwd  root
  findmnt  -T  .
  nproc
  jq  --version
  sed  --help
  find  --version
  git  --version
`);

const REPOSITORY = calls(`
  git  log  --oneline  -5  --  src
  git  log  --oneline  --graph  --all  -20
  git  log  -p  -1
  git  log  --author=me  --since  2 weeks ago  --pretty=format:%h %an %s
  git  log  -S  foo  --name-status  main..HEAD
  git  log  -1  --format=%cd  --date=short
  git  diff
  git  diff  --cached  --stat
  git  diff  HEAD~1  --  src
  git  diff  -U0  --name-only  main...topic
  git  show  --stat  HEAD
  git  show  HEAD:src/a.ts
  git  status  -sb
  git  status  --porcelain=v2
  git  branch  -avv
  git  branch  --show-current
  git  blame  -L  10,20  a.ts
  git  shortlog  -sn
  git  rev-parse  --abbrev-ref  HEAD
  git  rev-list  --count  HEAD
  git  remote  -v
  git  tag  -l  v1.*
  git  stash  list
  git  ls-files  *.ts
  git  grep  -n  foo.*bar  --  src
  git  describe  --tags  --always
`);

describe.each([
  ["files", FILES],
  ["text", TEXT],
  ["programs", PROGRAMS],
  ["the machine", MACHINE],
  ["the repository", REPOSITORY],
])("%s", (_name, list) => {
  test.each(list)("%s %j", (command, args) => {
    expect(judgeArguments(command, args, facts)).toMatchObject({ ok: true });
  });
});
