// Finds vLLM's messages in a pasted log; lookup.js is the box around it. No dependency, no network.
// This is generator/{wordindex,logtext,matching,complaints,lookup}.py step by step: a change there is a change here.
"use strict";

{
  const CHUNK = 4096, LONGEST = 256, MOST = 100, VALUE_WORDS = 80, RARE = 16, WHOLE = 1, CUT = 2, QUOTED = 3, CUT_VALUE_WORDS = 3;
  const ANSI = /(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;]{0,20}[A-Za-z]|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,4}m/g;
  const NOISE = new RegExp([
    String.raw`\((?:[A-Za-z][\w.-]{0,60}[ \t])?[^()\n]{0,60}\bpid=[0-9]+[^()\n]{0,60}\)`,
    String.raw`\[?(?:[0-9]{4}[-/])?\b[0-9]{2}[-/][0-9]{2}[T \t][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z\b|[+-][0-9]{2}:[0-9]{2})?\]?`,
    String.raw`\[[\w./-]{1,80}:[0-9]{1,6}\]|\b\w{1,60}\.py[ \t]{0,12}:[0-9]{1,6}\]`,
    String.raw`\[(?:rank[0-9]+|(?:address|pod)[=/][^\]\n]{0,120}|repeated [0-9]+x across cluster)\]:?`,
    String.raw`\b(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b`,
    String.raw`^[\w.-]{1,60}[ \t]{1,20}\||^[ \t]{0,40}(?:(?:E|[#>|*-]{1,3}|//)[ \t]{1,12}){1,4}`,
    String.raw`\\n`,
  ].join("|"), "gm");
  const LEVEL = /\b(DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b/g;
  const LABEL = /(?:Error|Exception)[ \t*_`]{0,4}:|[Vv]alue error,|[Aa]ssertion failed,|['"]error['"]:[ \t]{0,4}\{[ \t]{0,4}['"](message)['"]:[ \t]{0,4}['"]/g;
  const DEATH = /\bOOMKilled\b|\bSegmentation fault\b|\(core dumped\)|: line [0-9]{1,6}: {1,9}[0-9]{1,9} Killed\b/;
  const CLASS = /[A-Za-z_][\w.]{0,80}$/;
  const FRAME = /File "([^"\n]{1,300})", line ([0-9]{1,7})|^([\w./-]{1,200}\.py):([0-9]{1,7}): /gm;
  const TITLE = /\b[0-9]{1,3} validation errors? for ([\w.]{1,80})/g;
  const BANNER = /(?:vllm|LLM engine)[^\n]{0,40}?[ =:(]v?([0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,3})(?:rc[0-9]+|\.dev[0-9]+)?(?![.0-9])/i;
  const OURS = /vllm|api_server\.py|\((?:APIServer|EngineCore|Worker)\w{0,40} /i;
  const BREAK = /[ \t.,;:)]*(?:$|\n|["'`*|“”」』»]|\.\.|…|\[)/y;
  const CLOSE = /[ \t.]*["'`|”」』»]/y;
  const VALUE = /[ \t`'"(=]{0,6}[^ \t\n]{0,200}/y;
  const REASON = /(Extra inputs are not permitted|Unexpected (?:keyword|positional) argument)|((?:String|List|Tuple|Set|Dictionary) should have at|Input should be (?:greater|less|a multiple|a finite|['"0-9]))|(Input should be |Field required|Missing required |[A-Z]\w{2,20} should (?:be|have) )/g;
  const ARGUMENT = /: error: (?:argument ([^:\n]{1,100}): ((invalid choice)|(1 validation)|[^\n]{1,200})|(unrecognized arguments): ([^\n]{1,200})|the following arguments are required: ([^\n]{1,200}))/g;
  const CALL = /\b(\w{1,60})\.__init__\(\) got an unexpected keyword argument '(\w{1,80})'/g;
  const NOTICES = ["DEBUG", "INFO", "WARNING", "WARN"];
  const POINTER = /see root cause above|see stack trace above|check the stack trace above|Worker failed with error|can't be subclassed|initialization failed|missing 1 required positional argument: 'line_errors'/i;
  const OTHERS_WORDS = /invalid literal for int|could not convert string to float|Torch not compiled|CUDA out of memory|CUDA error|No module named|cannot import name|object has no attribute|No such file or directory|Expecting value: line/;
  const RAISES = /[^\n]{0,300}\n[^\n\w]{0,200}(?:raise|assert)\b/y;
  const COMMON = ["model_config", "cache_config", "scheduler_config", "load_config"];

  const alike = (word) => word.toLowerCase().replace(/0/g, "o").replace(/[1i]/g, "l");
  const wordsOf = (text) => Array.from(text.matchAll(/[A-Za-z0-9]+/g), (m) => [alike(m[0]), m.index, m.index + m[0].length]);
  const blanks = (found) => " ".repeat(found.length);
  const oneLine = (text) => text.trim().split(/\s+/).join(" ");
  const squeeze = (text) => text.replace(/\s+/g, "");
  const sticky = (pattern, text, at) => ((pattern.lastIndex = at), pattern.exec(text));
  const find = (text, what, from, to = text.length) => {
    const at = text.slice(from, to).indexOf(what);
    return at < 0 ? -1 : from + at;
  };
  const countUpTo = (sorted, value, inclusive) => {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value || (inclusive && sorted[middle] === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  // ---- the index -------------------------------------------------------------------------------------------------

  const prepare = (data) => {
    const entries = data.errors.map((error) => ({ ...error, wordings: error.wordings.map(prepareWording) }));
    data.lines.forEach((text, pin) => {
      const fields = text.split(",");
      let number = 0, line = 0;
      for (const entry of entries) {
        for (const wording of entry.wordings) {
          const steps = fields[number++];
          if (steps) wording.lines.set(pin, steps.split("+").map((step) => (line += Number(step))));
        }
      }
    });
    const pairs = new Map(), frequency = new Map();
    entries.forEach((entry, number) => entry.wordings.forEach((wording, which) => wording.words.forEach((word, at) => {
      if (!frequency.has(word)) frequency.set(word, new Set());
      frequency.get(word).add(number);
      if (at + 1 < wording.words.length && !wording.gaps[at + 1]) {
        const key = `${word} ${wording.words[at + 1]}`;
        if (!pairs.has(key)) pairs.set(key, []);
        pairs.get(key).push([number, which, at]);
      }
    })));
    for (const [key, places] of pairs) if (new Set(places.map(([number]) => number)).size > RARE) pairs.delete(key);
    const weight = (word) => {
      const count = frequency.get(word)?.size ?? 1;
      return count === 1 ? 4 : count <= 3 ? 3 : count <= 8 ? 2 : 1;
    };
    const telling = new Set([...frequency].filter(([word, numbers]) => numbers.size <= 6 && word.length > 3).map(([word]) => word));
    return { path: data.path, pins: data.pins, settings: data.settings, entries, pairs, weight, telling };
  };

  const prepareWording = (parts) => {
    const body = parts.filter((_, at) => at % 2 === 0).join("\0"), found = wordsOf(body);
    const edges = [0, ...found.flatMap(([, start, end]) => [start, end]), body.length];
    const between = [];
    for (let at = 0; at < edges.length; at += 2) between.push(body.slice(edges[at], edges[at + 1]));
    return {
      parts, between, lines: new Map(),
      text: parts.map((part, at) => (at % 2 ? `{${part}}` : part)).join(""),
      words: found.map(([word]) => word),
      gaps: between.map((text) => text.split("\0").length - 1),
      ends: between.slice(1).map((text) => /[.;]\s/.test(text)),
    };
  };

  const around = (wording, word) => {
    const pieces = wording.between[word].split("\0");
    return [pieces[0].trim(), pieces.at(-1).trim()];
  };

  // ---- the log ---------------------------------------------------------------------------------------------------

  const readLog = (source, telling) => {
    source = source.replace(/\r\n?/g, "\n");
    const lineStarts = [0], lineNumbers = [1], pieces = [];
    let size = 0, counted = 0, number = 1;
    for (const [start, end] of partsOf(source, telling)) {
      if (start) {
        pieces.push("\n");
        for (let at = source.indexOf("\n", counted); at >= 0 && at < start; at = source.indexOf("\n", at + 1)) number += 1;
        lineStarts.push(++size);
        lineNumbers.push(number);
      }
      const piece = source.slice(start, end);
      for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) {
        lineStarts.push(size + at + 1);
        lineNumbers.push(++number);
      }
      counted = end;
      size += piece.length;
      pieces.push(piece);
    }
    const raw = pieces.join("").replace(ANSI, blanks), text = raw.replace(NOISE, blanks), words = wordsOf(text);
    const marks = marksOf(raw, text).sort((a, b) => a.start - b.start || a.end - b.end);
    const walls = marks.filter((mark) => mark.kind !== "level").map((mark) => mark.start);
    for (const tail of text.matchAll(/\[type=/g)) walls.push(tail.index);
    walls.sort((a, b) => a - b);
    const markStarts = marks.map((mark) => mark.start);
    const line = (offset) => lineNumbers[countUpTo(lineStarts, offset, true) - 1];
    return {
      text, marks, walls, line,
      words: words.map(([word]) => word), starts: words.map(([, start]) => start), ends: words.map(([, , end]) => end),
      blocks: words.map(([, start]) => countUpTo(walls, start, true)),
      version: BANNER.exec(raw)?.[1] ?? null,
      isVllm: OURS.test(raw),
      before: (offset) => {
        const at = countUpTo(markStarts, offset, false);
        return marks.slice(Math.max(0, at - 40), at).reverse();
      },
      after: (offset) => {
        const at = countUpTo(markStarts, offset, false);
        return marks.slice(at, at + 40);
      },
      lines: (start, end) => {
        const first = line(start);
        return Array.from({ length: line(Math.max(start, end - 1)) - first + 1 }, (_, at) => first + at);
      },
    };
  };

  const partsOf = (source, telling) => {
    if (source.length <= CHUNK * LONGEST) return [[0, source.length]];
    let hot = [];
    for (let number = 0; number * CHUNK < source.length; number += 1) {
      const chunk = source.slice(number * CHUNK, (number + 1) * CHUNK);
      if (chunk.includes("rror") || (chunk.match(/[A-Za-z0-9]+/g) ?? []).some((word) => telling.has(alike(word)))) hot.push(number);
    }
    if (hot.length > LONGEST / 2) hot = [...hot.slice(0, LONGEST / 4), ...hot.slice(-LONGEST / 4)];
    const found = [];
    for (const number of hot) {
      const start = Math.max(0, (number - 1) * CHUNK), end = Math.min(source.length, (number + 2) * CHUNK);
      if (found.length && found.at(-1)[1] >= start) found.at(-1)[1] = end;
      else found.push([start, end]);
    }
    return found.length ? found : [[0, CHUNK]];
  };

  const marksOf = (raw, text) => {
    const found = [];
    const add = (kind, start, end, name, line = 0) => found.push({ kind, start, end, name, line });
    for (const m of raw.matchAll(LEVEL)) add("level", m.index, m.index + m[0].length, m[0]);
    for (const m of text.matchAll(LABEL)) {
      let name = m[1] ?? m[0].replace(/[ \t*_`:]+$/, ""), start = m.index;
      if (name === "Error" || name === "Exception") {
        const before = CLASS.exec(text.slice(Math.max(0, start - 80), start));
        if (before) {
          start -= before[0].length;
          name = before[0] + name;
        }
      }
      add("label", start, m.index + m[0].length, name);
    }
    for (const m of text.matchAll(TITLE)) add("title", m.index, m.index + m[0].length, m[1]);
    for (const m of raw.matchAll(FRAME)) add("frame", m.index, m.index + m[0].length, m[1] ?? m[3], Number(m[2] ?? m[4]));
    return found;
  };

  // ---- the search ------------------------------------------------------------------------------------------------

  const compareRanks = (a, b) => b.rank.reduce((order, value, at) => order || value - a.rank[at], 0);

  const equals = (a, b) => (a.whole || b.whole ? a.rank[0] === b.rank[0] : a.weight === b.weight) && a.exactness === b.exactness;

  const search = (log, index) => {
    const found = [], done = new Map(), tried = new Map();
    for (let at = 0; at + 1 < log.words.length; at += 1) {
      for (const [number, which, word] of index.pairs.get(`${log.words[at]} ${log.words[at + 1]}`) ?? []) {
        const key = number * 1000 + which, tries = tried.get(key) ?? 0;
        if (at < (done.get(key) ?? 0) || tries === MOST) continue;
        tried.set(key, tries + 1);
        const wording = index.entries[number].wordings[which];
        const places = [...walk(log, wording, at, word, -1).reverse(), [word, at, at], ...walk(log, wording, at, word, 1)];
        done.set(key, places.at(-1)[2]);
        const fit = judge(log, index, number, which, places);
        if (fit) found.push(fit);
      }
    }
    const best = [];
    for (const fit of [...found].sort(compareRanks)) {
      if (best.some((other) => fit.end > other.start && fit.start < other.end)) continue;
      const same = !fit.same.length ? [] : found.filter((each) => each.same.length && each.entry === fit.entry && each.start === fit.start && equals(each, fit));
      best.push({ ...fit, same: [...new Set(same.map((each) => each.wording))].sort((a, b) => a - b) });
    }
    return best.sort((a, b) => a.start - b.start);
  };

  const walk = (log, wording, at, word, step) => {
    const found = [];
    let missed = 0;
    while (word + step >= 0 && word + step < wording.words.length && missed <= 3) {
      word += step;
      let place = seek(log, wording, at, word, step, missed);
      const gap = wording.gaps[step > 0 ? word : word + 1];
      if (!place && !missed && isElided(log, at, step, gap)) [word, place] = resume(log, wording, at, word, step, gap);
      if (!place) {
        missed += 1;
        continue;
      }
      found.push([word, Math.min(...place), Math.max(...place)]);
      at = step > 0 ? Math.max(...place) : Math.min(...place);
      missed = 0;
    }
    return found;
  };

  const seek = (log, wording, at, word, step, missed) => {
    const gap = wording.gaps[step > 0 ? word : word + 1], following = word + step;
    const firm = following >= 0 && following < wording.words.length && !wording.gaps[step > 0 ? following : word];
    const reach = gap ? VALUE_WORDS : 1 + missed;
    let first = null;
    for (let distance = 1; distance <= Math.max(reach, 8); distance += 1) {
      const place = at + step * distance;
      if (place < 0 || place >= log.words.length || log.blocks[place] !== log.blocks[at]) break;
      if (distance > reach && !between(log, at, place).includes("\n")) break;
      const size = fits(log, place, wording.words[word], step, !gap && distance === 1);
      if (!size) continue;
      const last = place + step * (size - 1), beyond = last + step;
      if (!firm || (beyond >= 0 && beyond < log.words.length && fits(log, beyond, wording.words[following], step, !gap))) return [place, last];
      if (distance <= reach) first ??= [place, last];
    }
    return first;
  };

  const fits = (log, place, word, step, near) => {
    const there = log.words[place], beside = log.words[place + step];
    if (there === word) return 1;
    if (there.length < word.length && beside !== undefined && (step > 0 ? there + beside : beside + there) === word) return 2;
    return near && isNear(there, word) ? 1 : 0;
  };

  const isNear = (one, other) => {
    if (Math.min(one.length, other.length) < 5 || Math.abs(one.length - other.length) > 1) return false;
    if (one.length === other.length) {
      let wrong = 0;
      for (let at = 0; at < one.length; at += 1) wrong += one[at] !== other[at];
      return wrong <= (one.length < 8 ? 1 : 2);
    }
    const [short, long] = one.length < other.length ? [one, other] : [other, one];
    let at = 0;
    while (at < short.length && short[at] === long[at]) at += 1;
    return short.slice(at) === long.slice(at + 1);
  };

  const between = (log, one, other) => log.text.slice(log.ends[Math.min(one, other)], log.starts[Math.max(one, other)]);
  const hasEllipsis = (text) => text.includes("...") || text.includes("…");

  const isElided = (log, at, step, gap) => {
    const size = gap ? 60 : 8;
    return hasEllipsis(step > 0 ? log.text.slice(log.ends[at], log.ends[at] + size) : log.text.slice(Math.max(0, log.starts[at] - size), log.starts[at]));
  };

  const resume = (log, wording, at, word, step, gap) => {
    for (let distance = 1; distance < (gap ? 8 : 3); distance += 1) {
      const place = at + step * distance, beyond = place + step;
      if (Math.min(place, beyond) < 0 || Math.max(place, beyond) >= log.words.length) break;
      for (let later = word + step; later >= 0 && later + step >= 0 && later + step < wording.words.length; later += step) {
        if (log.words[place] === wording.words[later] && log.words[beyond] === wording.words[later + step]) return [later, [place, place]];
      }
    }
    return [word, null];
  };

  const judge = (log, index, entry, which, places) => {
    const wording = index.entries[entry].wordings[which], words = wording.words;
    while (places.length > 1 && places.at(-1)[0] - places.at(-2)[0] > 1) places = places.slice(0, -1);
    while (places.length > 1 && places[1][0] - places[0][0] > 1) places = places.slice(1);
    if (places.length < 2) return null;
    let wrong = 0, exact = places.every(([word, start, end]) => log.words.slice(start, end + 1).join("") === words[word]);
    for (let at = 1; at < places.length; at += 1) {
      const [one, , last] = places[at - 1], [other, first] = places[at], text = between(log, last, first);
      if (other - one > 1) {
        wrong += hasEllipsis(text) ? 0 : other - one - 1;
        exact = false;
      } else if (!wording.gaps[other]) {
        wrong += first - last > 1 && !text.includes("\n") ? 1 : 0;
        exact = exact && squeeze(text) === squeeze(wording.between[other]);
      } else {
        const [before, after] = around(wording, other).map(squeeze);
        exact = exact && squeeze(text).startsWith(before) && squeeze(text).endsWith(after);
      }
    }
    const [low, first] = places[0], [high, , last] = places.at(-1);
    const sum = (list) => list.reduce((total, word) => total + index.weight(word), 0);
    const weight = sum(places.map(([word]) => words[word])), total = sum(words), whole = weight === total;
    const leads = low === 0 && wording.gaps[0];
    const start = leads ? chunkStart(log.text, log.starts[first]) : log.starts[first];
    const label = labelBefore(log, start);
    if (leads && !label && isLonger(log, start)) return null;
    const tail = squeeze(wording.between.at(-1));
    const agrees = high === words.length - 1 && (wording.gaps.at(-1) > 0 || squeeze(log.text.slice(log.ends[last], log.ends[last] + 40)).startsWith(tail));
    const beginning = () => {
      const hasEnds = low === 0 && high === words.length - 1;
      const isFrame = hasEnds && places.length >= 12 && 100 * sum(places.map(([word]) => words[word])) >= 70 * total;
      const run = isFrame ? places : places.filter(([word], at) => word === at), weight = sum(run.map(([word]) => words[word]));
      if (!label || run.length < 8 || weight < 18) return null;
      const end = log.ends[run.at(-1)[2]], rank = [4 * weight - Math.floor((total + 1) / 4), 0, -entry, -which];
      return { entry, wording: which, places: run, start, end, weight, total: total + 1, whole: false, exactness: 0, label, rank, same: [] };
    };
    if (wrong > Math.floor(places.length / 8) || (whole && places.length < 6 && !exact)) {
      const quoted = quotedSentence(log, wording, places);
      return quoted ? judge(log, index, entry, which, quoted) : beginning();
    }
    if (!whole) {
      const begins = beginsAt(log, wording, low, first), ends = breaksAt(log, wording, high, last);
      const within = low > 0 && high < words.length - 1;
      const [leastWeight, leastWords] = within || begins === QUOTED ? [14, 6] : label || (low === 0 ? ends : begins) === CUT ? [4, 2] : [9, 4];
      if (!begins || !ends || weight < leastWeight || places.length < leastWords) return beginning();
    }
    const exactness = exact && agrees ? 1 + tail.length : 0;
    const rank = [4 * weight - Math.floor(total / 4), exactness, -entry, -which];
    return { entry, wording: which, places, start, end: log.ends[last], weight, total, whole, exactness, label, rank, same: [which] };
  };

  const quotedSentence = (log, wording, places) => {
    for (let at = 1; at < places.length; at += 1) {
      const [one, , last] = places[at - 1];
      if (places[at][0] - one > 1 && wording.ends[one] && sticky(CLOSE, log.text, log.ends[last])) return places.slice(0, at);
    }
    return null;
  };

  const chunkStart = (text, end) => {
    let at = end;
    while (at > 0 && " \t\n".includes(text[at - 1])) at -= 1;
    while (at > 0 && end - at < 200 && !" \t\n".includes(text[at - 1])) at -= 1;
    return at;
  };

  const labelBefore = (log, start) => {
    const mark = log.before(start).find((each) => each.kind === "label");
    return !mark || mark.end > start || /[A-Za-z0-9]/.test(log.text.slice(mark.end, start)) ? null : mark;
  };

  const lineStart = (log, offset) => log.text.lastIndexOf("\n", offset - 1) + 1;
  const isLonger = (log, start) => {
    const line = start ? lineStart(log, start) : 0;
    return log.before(start).some((mark) => mark.kind === "label" && mark.start >= line);
  };

  const beginsAt = (log, wording, word, place) => {
    if (word === 0 || wording.ends[word - 1]) return WHOLE;
    if (log.before(log.starts[place]).some((mark) => mark.kind === "label")) return 0;
    if (place === 0 || (place === 1 && wording.words[word - 1].endsWith(log.words[0]))) return CUT;
    if (wording.gaps[word] && place <= CUT_VALUE_WORDS) return CUT;
    const before = log.text.slice(Math.max(0, log.starts[place] - 12), log.starts[place]);
    return hasEllipsis(before) || before.includes("\n\n") ? WHOLE : /["'`“「『«]\s*$/.test(before) ? QUOTED : 0;
  };

  const breaksAt = (log, wording, word, place) => {
    const left = log.words.length - 1 - place;
    if (word === wording.words.length - 1) return WHOLE;
    if (left === 0 || (wording.gaps[word + 1] && left <= CUT_VALUE_WORDS)) return CUT;
    if (left === 1) return wording.words[word + 1].startsWith(log.words.at(-1)) ? CUT : 0;
    let end = log.ends[place];
    if (wording.gaps[word + 1]) end += sticky(VALUE, log.text, end)[0].length;
    else if (wording.words[word + 1].startsWith(log.words[place + 1]) && sticky(BREAK, log.text, log.ends[place + 1])) return WHOLE;
    return wording.ends[word] || sticky(BREAK, log.text, end) ? WHOLE : 0;
  };

  // ---- complaints of pydantic and argparse -----------------------------------------------------------------------

  const lineEnd = (text, start) => {
    const line = find(text, "\n", start, start + 600);
    return line >= 0 ? line : Math.min(text.length, start + 600);
  };

  const configName = (name) => name.replace(/([a-z])(?=[A-Z])/g, "$1_").toLowerCase();

  const findComplaints = (log, index) => {
    const found = [], text = log.text;
    const args = [...text.matchAll(ARGUMENT)];
    const titles = log.marks.filter((mark) => mark.kind === "title").slice(0, 40);
    titles.forEach((title, number) => {
      const labels = log.after(title.end).filter((mark) => mark.name.endsWith(",")).map((mark) => mark.start);
      const end = Math.min(titles[number + 1]?.start ?? text.length, title.end + 4000, ...labels);
      const outer = args.find((m) => m[4] && m.index + m[0].length === title.start + "1 validation".length)?.[1];
      let at = title.end;
      for (const m of text.slice(title.end, end).matchAll(REASON)) {
        const start = title.end + m.index;
        const field = /([\w.[\]-]{1,120})[ \t]*$/.exec(text.slice(Math.max(at, start - 160), start).trimEnd());
        const tail = find(text, "[type=", start, start + 600), stop = tail >= 0 ? tail : lineEnd(text, start);
        const name = field?.[1] ?? null;
        found.push({
          kind: m[1] ? "unknown-argument" : m[2] ? "out-of-range" : "wrong-type",
          className: title.name, field: name ?? outer ?? null, reason: oneLine(text.slice(start, stop)), start: title.start, end: stop,
          isOurs: log.isVllm || (index.settings[configName(title.name)] ?? []).includes(name),
        });
        const close = find(text, "]", stop, stop + 400);
        at = close >= 0 ? close + 1 : stop;
      }
    });
    for (const m of args.filter((each) => !each[4])) {
      const start = m.index + ": error: ".length, stop = lineEnd(text, m.index + m[0].length);
      found.push({
        kind: m[5] ? "unknown-argument" : m[3] ? "out-of-range" : "wrong-type",
        className: null, field: (m[1] ?? m[6] ?? m[7]).trim(), reason: oneLine(text.slice(start, stop)), start: m.index, end: stop, isOurs: log.isVllm,
      });
    }
    for (const m of text.matchAll(CALL)) {
      const isOurs = ["EngineArgs", "AsyncEngineArgs", "LLM"].includes(m[1]) || (log.isVllm && m[1].endsWith("Config"));
      found.push({ kind: "unknown-argument", className: m[1], field: m[2], reason: m[0], start: m.index, end: m.index + m[0].length, isOurs });
    }
    return found.sort((a, b) => a.start - b.start).slice(0, 40);
  };

  // ---- the explanation -------------------------------------------------------------------------------------------

  const explain = (text, index) => {
    const log = readLog(text, index.telling);
    let found = search(log, index).filter((fit) => !isNotice(log, fit.start));
    const isProse = !log.marks.some((mark) => mark.kind === "frame");
    const isSure = (fit) => fit.label || (isProse && "`「『“«".includes(log.text[fit.start - 1] ?? " "));
    if (found.some((fit) => fit.label)) found = found.filter((fit) => isSure(fit) || fit.places[0][1] <= 1);
    found = found.filter((fit) => isSure(fit) || fit.whole || !followsError(log, fit.start));
    const foreign = found.filter((fit) => isForeign(log, index, fit)), elsewhere = new Set(foreign.map((fit) => fit.entry));
    const own = found.filter((fit) => !foreign.includes(fit) && (fit.whole || !elsewhere.has(fit.entry)));
    const matches = matchesOf(log, index, own), every = findComplaints(log, index), complaints = every.filter((each) => each.isOurs);
    const stranger = every.find((each) => !each.isOurs);
    const other =
      (foreign.length ? copied(log, index, foreign[0]) : null) ?? otherError(log, index, own, complaints) ??
      (stranger ? { status: "other program", message: stranger.reason, file: null, lines: log.lines(stranger.start, stranger.end) } : null) ?? death(log);
    let { status, message, file, lines } = other ?? { status: "no error", message: null, file: null, lines: [] };
    const unique = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
    if (matches.length) {
      status = matches[0].canonical ? "matched" : "other wording";
      lines = unique(matches.flatMap((match) => match.lines));
    } else if (complaints.length) {
      status = "field complaint";
      lines = unique(complaints.flatMap((each) => log.lines(each.start, each.end)));
    } else if (!other) {
      const notices = log.marks.filter((mark) => mark.kind === "level" && mark.name.startsWith("WARN"));
      const pointers = log.marks.filter((mark) => mark.kind === "label");
      status = pointers.length ? "cause missing" : notices.length ? "warning" : "no error";
      lines = [...pointers, ...notices].slice(0, 1).map((mark) => log.line(mark.start));
    }
    const rows = complaints.map(({ kind, className, field, reason }) => ({ kind, url: `kinds/${kind}/`, class: className, field, reason }));
    return { schemaVersion: 1, status, matches, complaints: rows, message, file, version: log.version, lines };
  };

  const matchesOf = (log, index, found) => {
    const groups = new Map();
    for (const fit of found) groups.set(fit.entry, [...(groups.get(fit.entry) ?? []), fit]);
    const rows = [...groups.values()].map((places) => {
      const fit = [...places].sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1] || a.start - b.start)[0];
      const entry = index.entries[fit.entry], wording = entry.wordings[fit.wording];
      const lines = [...new Set(places.flatMap((each) => log.lines(each.start, each.end)))].sort((a, b) => a - b);
      const confidence = !fit.same.length ? "possible" : fit.whole && fit.exactness && fit.label ? "certain" : fit.whole || (fit.label && fit.weight * 2 > fit.total) ? "likely" : "possible";
      const file = elsewhereOf(log, index, fit), lifted = entry.liftedIn === null || file ? null : index.pins[entry.liftedIn];
      return [{
        id: entry.id, slug: entry.slug, url: entry.slug ? `errors/${entry.slug}/` : null, template: (fit.same.includes(0) ? entry.wordings[0] : wording).text, canonical: fit.same.includes(0), confidence,
        values: valuesOf(log, wording, fit), releases: file ? [] : releasesOf(log, index, fit), liftedIn: lifted,
        line: lines[0], lines, file,
      }, places[0].start];
    });
    return rows.sort(([a, one], [b, other]) => (a.confidence === "possible") - (b.confidence === "possible") || one - other).map(([match]) => match);
  };

  const valuesOf = (log, wording, fit) => {
    const found = {}, places = new Map(fit.places.map(([word, first, last]) => [word, [first, last]]));
    let number = 0;
    wording.gaps.forEach((count, word) => {
      number += count;
      if (count !== 1) return;
      const [before, after] = around(wording, word);
      const start = word === 0 ? fit.start : places.has(word - 1) ? log.ends[places.get(word - 1)[1]] : null;
      const end = places.has(word) ? log.starts[places.get(word)[0]] : null;
      if (start === null || (end === null && word < wording.words.length)) return;
      let text = oneLine(end === null ? lastValue(log, start, before) : log.text.slice(start, end));
      if (end === null && after) text = text.split(`${after} `)[0];
      text = text.startsWith(before) ? text.slice(before.length).trim() : strip(text, before, true);
      text = text.endsWith(after) ? text.slice(0, text.length - after.length).trim() : strip(text, after, false);
      if (end === null && !after) text = text.replace(/^[*_` ]+|[*_` ]+$/g, "");
      const placeholder = wording.parts[2 * number - 1];
      if (text && text.replace(/^[`{}]+|[`{}]+$/g, "") !== placeholder) found[placeholder] = text;
    });
    return found;
  };

  // Without those characters at the beginning or at the end.
  const strip = (text, characters, atStart) => {
    let [start, end] = [0, text.length];
    while (atStart && start < end && characters.includes(text[start])) start += 1;
    while (!atStart && end > start && characters.includes(text[end - 1])) end -= 1;
    return text.slice(start, end);
  };

  const lastValue = (log, start, before) => {
    const wall = log.walls[countUpTo(log.walls, start, true)] ?? log.text.length;
    const text = log.text.slice(start, Math.min(wall, start + 2000)), opened = text.trim();
    if ((opened.startsWith(before) ? opened.slice(before.length) : opened).trimStart().startsWith("[") && text.includes("]")) return text.slice(0, text.indexOf("]") + 1);
    const lines = text.split("\n");
    let kept = 1;
    while (kept < lines.length && lines[kept - 1].trimEnd().endsWith(",")) kept += 1;
    return lines.slice(0, kept).join("\n");
  };

  const releasesOf = (log, index, fit) => {
    const pins = new Map();
    const numbers = new Set(log.marks.filter((mark) => mark.kind === "frame" && isDocumented(index, mark.name)).map((mark) => mark.line));
    for (const which of fit.same) for (const [pin, lines] of index.entries[fit.entry].wordings[which].lines) pins.set(pin, [...(pins.get(pin) ?? []), ...lines]);
    let kept = [...pins.keys()].sort((a, b) => a - b);
    const narrow = (test) => {
      const fewer = kept.filter(test);
      if (fewer.length) kept = fewer;
    };
    narrow((pin) => pins.get(pin).some((line) => numbers.has(line)));
    narrow((pin) => log.version !== null && index.pins[pin].replace(/^v+/, "") === log.version);
    return kept.map((pin) => index.pins[pin]);
  };

  const isNotice = (log, start) => {
    const line = start ? lineStart(log, start) : 0;
    for (const mark of log.before(start)) {
      if (mark.start < line) return false;
      if (mark.kind === "level" || mark.kind === "label") return NOTICES.includes(mark.name);
    }
    return false;
  };

  const followsError = (log, start) =>
    log.before(start).some((mark) => mark.kind === "label" && !POINTER.test(log.text.slice(mark.end, mark.end + 300)));

  const frameBefore = (log, offset) => {
    for (const mark of log.before(offset)) {
      if (offset - mark.start > 6000 || (mark.kind === "label" && !mark.name.endsWith("ValidationError"))) return null;
      if (mark.kind === "frame" && !/pydantic|dataclasses\.py/.test(mark.name)) return mark;
    }
    return null;
  };

  const packageOf = (path) => {
    const parts = path.replaceAll("\\", "/").split("/");
    for (let at = parts.length - 1; at > 0; at -= 1) if (parts[at - 1] === "site-packages" || parts[at - 1] === "dist-packages") return parts[at];
    return parts.slice(0, -1).includes("vllm") ? "vllm" : "";
  };

  const isDocumented = (index, path) => index.path.split(", ").some((each) => path.replaceAll("\\", "/").endsWith(each));

  const elsewhereOf = (log, index, fit) => {
    const frame = fit.label && !fit.label.name.endsWith(",") ? frameBefore(log, fit.label.start) : null;
    if (!frame || packageOf(frame.name) !== index.path.split("/")[0] || isDocumented(index, frame.name)) return null;
    return sticky(RAISES, log.text, frame.end) ? frame.name : null;
  };

  const isForeign = (log, index, fit) => {
    if (!fit.label || fit.label.name.endsWith(",")) return false;
    const frame = frameBefore(log, fit.label.start), from = frame ? packageOf(frame.name) : "";
    if (from === index.path.split("/")[0]) return !(fit.same.length && (fit.exactness || !fit.whole)) && elsewhereOf(log, index, fit) !== null;
    if (from) return true;
    if (frame && frame.name.includes("/") && sticky(RAISES, log.text, frame.end)) return true;
    const entry = index.entries[fit.entry];
    return !entry.bare && hasStrangeValue(log, entry, fit);
  };

  const hasStrangeValue = (log, entry, fit) =>
    Object.entries(valuesOf(log, entry.wordings[fit.wording], fit)).some(([placeholder, text]) => {
      const [first] = wordsOf(text);
      return first && entry.openings[placeholder] && !entry.openings[placeholder].includes(first[0]);
    });

  const copied = (log, index, fit) => {
    const frame = frameBefore(log, fit.label.start), own = frame && packageOf(frame.name) === index.path.split("/")[0];
    return {
      status: own ? "other file" : "other program", message: messageAt(log, fit.label.end, log.text.length),
      file: frame?.name ?? null, lines: log.lines(fit.start, fit.end),
    };
  };

  const death = (log) => {
    const found = DEATH.exec(log.text);
    if (!found) return null;
    const stop = found.index + found[0].length, end = find(log.text, "\n", stop, stop + 200);
    const line = log.text.slice(Math.max(found.index ? lineStart(log, found.index) : 0, found.index - 200), end >= 0 ? end : stop + 200);
    return { status: "other program", message: line.trim(), file: null, lines: log.lines(found.index, stop) };
  };

  const otherError = (log, index, known, complaints) => {
    const labels = log.marks.filter((mark) => mark.kind === "label");
    for (const [number, mark] of labels.entries()) {
      if (known.some((fit) => fit.label === mark || (fit.start <= mark.start && mark.start < fit.end))) continue;
      if (complaints.some((each) => mark.end <= each.start && each.start < mark.end + 20)) continue;
      let message = messageAt(log, mark.end, labels[number + 1]?.start ?? log.text.length);
      if (mark.name === "message") message = message.split(/['"],[ \t]*['"]/)[0];
      if (!message || isNotice(log, mark.start) || POINTER.test(message) || mark.name.endsWith("Warning")) continue;
      if (log.after(mark.end).some((each) => each.kind === "title" && each.start < mark.end + 300)) continue;
      const title = log.before(mark.start).find((each) => each.kind === "title" && mark.start - each.end < 400);
      const frame = frameBefore(log, mark.start), lines = log.lines(mark.start, Math.min(log.text.length, mark.end + message.length));
      return { status: originOf(log, index, mark, title, frame, message), message, file: frame?.name ?? null, lines };
    }
    return null;
  };

  const messageAt = (log, start, limit) => {
    const ends = [find(log.text, "\n", start, limit), find(log.text, "[type=", start, Math.min(limit, start + 2000)), limit, start + 500];
    return oneLine(log.text.slice(start, Math.min(...ends.filter((end) => end >= 0))));
  };

  const originOf = (log, index, mark, title, frame, message) => {
    const root = mark.name.includes(".") ? mark.name.split(".")[0] : "", from = frame ? packageOf(frame.name) : "", project = index.path.split("/")[0];
    if (OTHERS_WORDS.test(message) || (root && ![project, "pydantic_core", "builtins"].includes(root))) return "other program";
    if (from) return from === project ? "other file" : "other program";
    if (title && !log.isVllm) {
      const name = configName(title.name), wrapped = find(log.text, "ArgsKwargs", mark.end, mark.end + 2000) >= 0;
      return index.settings[name] && (wrapped || !COMMON.includes(name)) ? "other file" : "other program";
    }
    return log.isVllm ? "other file" : "other program";
  };

  globalThis.vllmErrors = { prepare, explain };
}
