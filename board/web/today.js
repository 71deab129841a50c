// Today: the taps and presses of a day.

import { $, api, bdi, clock, day, facts, h, icon, marks, pages, query, row, sheet, soft, svg, t } from '/app.js';

const ends = { accepted: ['warn', 'waits to be sent'], delivered: ['good', 'delivered'], refused: ['bad', 'refused'],
  expired: ['bad', 'expired'], dropped: ['bad', 'removed'], undeliverable: ['bad', 'not accepted by its receiver'], ignored: ['warn', 'ignored'],
  'switched-on': ['good', 'switched on'], 'switched-off': ['good', 'switched off'] };
let daysBack = 0, drawnFrom = 0, only = 'all', taps = [], results = new Map(), next = '', hours = [], delivered = 0;

const span = back => {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - back);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { from: start.getTime(), until: end.getTime() };
};
// An outcome belongs to the tap with its id, whose row is older.
function addTaps(reply) {
  for (const it of reply.taps) {
    if (it.id && it.result !== 'accepted') { if (!results.has(it.id)) results.set(it.id, it); continue; }
    taps.push({ ...it, end: it.id && results.get(it.id)?.result || (it.id || it.result !== 'accepted' ? it.result : 'delivered'), why: it.code ?? results.get(it.id)?.code });
    results.delete(it.id);
  }
  next = reply.next;
  if (next) return;
  // What was accepted on an earlier day.
  for (const it of results.values()) taps.push({ ...it, end: it.result, why: it.code });
  taps.sort((a, b) => b.time - a.time);
}
// Reasons for people who do not know the codes, all of which docs/json.schema.json explains.
const reasons = {
  'signature-invalid': 'not valid here: a removed tag, or one of another kiosk', 'url-malformed': 'not for this kiosk', 'action-unknown': 'not for this kiosk',
  'action-without-secrets': 'not for this kiosk', 'url-copied': 'a copy of another tag', 'person-suspended': 'suspended', 'outside-hours': 'outside the permitted hours',
  'holiday': 'not on this day', 'not-yet-valid': 'not yet', 'no-longer-valid': 'no longer', 'used-up': 'no uses left', 'broker-away': 'the broker was unavailable',
  'webhook-away': 'the server was unavailable', 'panel-locked': 'the buttons were locked', 'tag-held': 'left on the reader', 'too-many': 'too many attempts', 'clock-unknown': 'the clock was not set',
};
const words = code => code ? t(reasons[code] ?? code.replaceAll('-', ' ')) : '';
const whose = tap => tap.by || (tap.gone ? t('A removed person') : tap.tag)
  || t({ tag: ends[tap.end]?.[0] === 'bad' ? 'Unknown tag' : 'Tag without a person', inventory: 'Store room' }[tap.trigger] || 'Several');
function tapRow(tap) {
  const [tone, english] = ends[tap.end] || ends.ignored, word = t(english);
  const text = [tap.title, word].filter(Boolean).join(', ') + (tone === 'bad' && tap.why ? ': ' + words(tap.why) : '')
    + (tap.count > 1 ? ', ' + t('{} times', tap.count) : '');
  const time = clock(new Date(tap.time));
  return row(h('span.mark', { 'data-tone': tone }, icon(marks[tone])), whose(tap), text, h('time', null, time), () => sheet(whose(tap),
    facts([['Time', day(new Date(tap.time)) + ', ' + time], ['Action', tap.title], ['Outcome', word], ['Reason', words(tap.why)], ['Tag', tap.tag], ['UID', tap.uid], ['Person', tap.person]]),
    tap.person && h('a.quiet', { href: '#people?' + encodeURIComponent(tap.person) }, 'Person: ', bdi(tap.person))));
}
const kinds = { all: ['All', () => true], tags: ['Tags', tap => tap.trigger === 'tag'],
  refused: ['Refused', tap => ends[tap.end]?.[0] === 'bad'], waiting: ['Waiting', tap => tap.end === 'accepted'] };
function drawTaps(content) {
  const total = index => hours.reduce((sum, hour) => sum + hour[index], 0);
  const top = Math.max(1, ...hours.map(([good, bad]) => good + bad));
  const bars = svg('svg', { class: 'bars', viewBox: `0 0 ${hours.length * 10} 50`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...hours.map(([good, bad], hour) => {
      const height = good + bad ? Math.max(4, (good + bad) / top * 48) : 3;
      return svg('rect', { x: hour * 10 + 1, width: 8, rx: 2, y: 50 - height, height, class: good + bad ? '' : 'none' });
    }));
  const figures = [['Taps and presses', total(0) + total(1)], ['Delivered', delivered], ['Refused', total(1)]];
  const found = shownTaps();
  const list = h('ul.list');
  let hour;
  for (const tap of found) {
    const of = new Date(tap.time).setMinutes(0, 0, 0);
    if (of !== hour) list.append(h('li.hour', null, clock(new Date(hour = of))));
    list.append(tapRow(tap));
  }
  content.replaceChildren(
    h('div.card', null, h('dl.figures', null, ...figures.map(([name, n]) => h('div', null, h('dt', null, name), h('dd', null, n)))), bars),
    h('div.filters', { role: 'group', 'aria-label': 'Show' }, ...Object.entries(kinds).map(([key, [text]]) =>
      h('button', { type: 'button', 'aria-pressed': String(key === only), onclick: () => { only = key; loadTaps(content, 30); } }, text))),
    h('div.card', null, found.length ? list : soft(taps.length ? 'None of these.' : 'Nothing happened on this day.'),
      next && h('button.quiet', { type: 'button', onclick: () => loadTaps(content, found.length + 30) }, 'Show earlier')));
}
// Loads taps until this many can be shown, or no more: a part may contain none of this day, or of this kind.
async function loadTaps(content, wanted) {
  const mine = drawing;
  while (next !== null && shownTaps().length < wanted) {
    const reply = await api('/api/taps' + query({ ...span(daysBack), before: next }));
    if (mine !== drawing) return;
    addTaps(reply);
  }
  drawTaps(content);
}
const shownTaps = () => taps.filter(kinds[only][1]);
let drawing = 0;
export async function draw(content) {
  const mine = ++drawing;
  $('#today h1').textContent = [t('Today'), t('Yesterday')][daysBack] ?? day(new Date(span(daysBack).from));
  $('#today [data-after]').disabled = daysBack === 0;
  let reply, sum = [], count = 0, before = '';
  do {
    reply = await api('/api/hours' + query({ ...span(daysBack), before }));
    sum = reply.hours.map(([good, bad], hour) => [good + (sum[hour]?.[0] ?? 0), bad + (sum[hour]?.[1] ?? 0)]);
    count += reply.delivered;
    before = reply.next;
  } while (before);
  if (mine !== drawing) return;
  // A live page keeps what was loaded.
  const { from } = span(daysBack), wanted = drawnFrom === from ? Math.max(30, shownTaps().length) : 30;
  [hours, delivered, taps, results, next, drawnFrom] = [sum, count, [], new Map(), '', from];
  await loadTaps(content, wanted);
}
function turn(by) { daysBack = Math.max(0, daysBack + by); pages.get('today').draw(); }
const turner = (name, label, by, mark) => h('button.round', { type: 'button', 'aria-label': label, [name]: '', onclick: () => turn(by) }, icon(mark));
export const tools = [turner('data-before', 'The day before', 1, 'back'), turner('data-after', 'The day after', -1, 'next')];
export const isLive = () => !daysBack;
// At midnight, another day is today.
export const isStale = () => drawnFrom !== span(daysBack).from;
export function home() { daysBack = 0; }
