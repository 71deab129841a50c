// The panel: tiles, outcomes, and the stream of the kiosk's events.

import { $, clock, day, frame, h, icon, locale, marks, panel, redrawSoon, redrawStale, root, say, shown, t } from '/app.js';

// ---- The kiosk's time dates presses: the browser's clock may be wrong.
let ahead;
const now = () => performance.now() + ahead;
const hearTime = ms => { const found = ms - performance.now(); ahead = Math.max(found, (ahead ?? found) - 20); };

// ---- Tiles
const tiles = new Map();
const canPress = panel.dataset.level !== 'look';
let isLocked = false, isCold = false;

// What is so now: of a pulse, also how long it still lasts.
function level(tile) {
  const left = Math.ceil((tile.until - now()) / 1000), unit = left > 99 ? 'minute' : 'second';
  return left > 0 ? t('{} for {}', t(tile.hint), Math.ceil(left / (unit === 'minute' ? 60 : 1)).toLocaleString(locale, { style: 'unit', unit })) : t(tile.hint);
}
// The colour stays 2.5 s, its sentence 10 s more; then the tile says what is so again.
function setTile(tile, state, note) {
  clearTimeout(tile.timer);
  clearInterval(tile.tick);
  tile.state = tile.form.dataset.state = state;
  const draw = () => { tile.note.textContent = note ? t(note) : level(tile); };
  draw();
  if (!note && tile.until) tile.tick = setInterval(draw, 250);
  tile.glyph.replaceChildren(...marks[state] ? [icon(marks[state])] : tile.picture);
  $('.cancel', tile.form)?.remove();
  if (state === 'busy') tile.timer = setTimeout(() => setTile(tile, 'bad', 'No answer'), 6000);
  if (state === 'idle' && note) tile.timer = setTimeout(() => setTile(tile, 'idle'), 10000);
  if (!marks[state]) return;
  sayNote(tile);
  tile.timer = setTimeout(() => setTile(tile, 'idle', t(note) + ' ' + clock(new Date())), 2500);
}
const sayNote = tile => say(tile.title + ': ' + tile.note.textContent);


function ask(tile, question) {
  if (tile.question === question.number && tile.state === 'confirm') return;
  setTile(tile, 'confirm', 'Press again');
  tile.question = question.number;
  tile.askedAt = performance.now();
  const draw = () => {
    const left = Math.ceil((question.until - now()) / 1000);
    if (left > 0) tile.glyph.textContent = left; else setTile(tile, 'idle');
  };
  draw();
  tile.tick = setInterval(draw, 250);
  tile.form.append(h('button.cancel', { type: 'button', onclick: () => send('/cancel', { question: question.number }) }, 'Cancel'));
  say(tile.title + ': ' + t('press again to confirm, or cancel'));
}

function press(tile) {
  if (!canPress || isLocked || isCold || tile.state === 'busy') return;
  if (tile.state === 'confirm') {
    // The second half of a double click is no answer.
    if (performance.now() - tile.askedAt < 500) return;
    const question = tile.question;
    setTile(tile, 'busy', 'Sending …');
    return void send('/confirm', { question, at: Math.round(now()) }, tile);
  }
  setTile(tile, 'busy', 'Sending …');
  send('/press', { ...tile.target, ...stamp() }, tile);
}
export const levelWord = (kind, on) => kind === 'lock' ? on ? 'Open' : 'Shut' : on ? 'On' : 'Off';
// The id and the time of a press.
export const stamp = () => ({ id: newID(), at: Math.round(now()) });
const newID = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');

async function send(path, values, tile) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 5000);
  let reply = {};
  try {
    const response = await fetch(path, {
      method: 'POST', body: new URLSearchParams(values), headers: { Accept: 'application/json' }, signal: stop.signal });
    reply = await response.json();
  } catch { reply = { error: 'Not sent' }; } finally { clearTimeout(timer); }
  if (!tile) return;
  if (reply.error) setTile(tile, 'bad', reply.error);
  else if (reply.result === 'asked' && reply.question) ask(tile, reply.question);
  else if (reply.result === 'refused') setTile(tile, 'bad', reply.text);
  else if (reply.result === 'switched') {
    showOutput(reply.output);
    setTile(tile, 'idle');
    sayNote(tile);
  }
  else if (reply.result === 'cancelled') setTile(tile, 'warn', t('Not done: it cancelled {}. Press again', reply.title || t('a question')));
}

for (const form of document.querySelectorAll('.tile')) {
  const glyph = $('.glyph', form);
  const { action, output } = form.dataset;
  const tile = { form, glyph, action, output, target: action ? { action } : { output, do: form.elements.do.value },
    title: $('b', form).textContent, hint: form.dataset.hint,
    note: $('.note', form), picture: [...glyph.childNodes], button: $('.press', form), state: 'idle' };
  tiles.set(action ?? '>' + output, tile);
  form.addEventListener('submit', event => { event.preventDefault(); press(tile); });
}
panel.addEventListener('submit', event => {
  if (event.target.getAttribute('action') !== '/lock') return;
  event.preventDefault();
  send('/lock', {});
});
$('.question', panel)?.remove();

// ---- Outcomes
let flashTimer, flashTick, flashed;
function flash(tone, mark, title, text) {
  clearTimeout(flashTimer);
  clearInterval(flashTick);
  const box = $('.flash');
  box.dataset.tone = tone;
  box.replaceChildren(mark, h('b', null, h('bdi', null, title)), h('p', null, text));
  box.hidden = false;
  say(title + ': ' + t(text));
  flashTimer = setTimeout(endFlash, 2500);
}
function endFlash() { $('.flash').hidden = true; clearInterval(flashTick); }
$('.flash').addEventListener('pointerdown', endFlash);

function showOutcome(it) {
  const tile = tiles.get(it.action);
  const text = t(it.text) + (it.person ? ' (' + it.person + ')' : '');
  showLast(it);
  redrawSoon();
  if (it.trigger === 'tag') {
    // The delivery of a tap is news only while its acceptance is shown.
    if (shown !== 'panel' || it.result === 'delivered' && ($('.flash').hidden || flashed !== it.action)) return;
    flashed = it.tone !== 'bad' && it.action;
    flash(it.tone, icon(marks[it.tone]), it.title || t('Tag'), text);
  } else if (tile) {
    if (it.result === 'accepted') setTile(tile, 'busy', 'Sending …');
    else if (it.result === 'cancelled') setTile(tile, 'idle', it.text);
    else setTile(tile, it.tone, it.text);
  }
}
function showLast(it) {
  if (!it) return;
  const words = [it.person, it.title].filter(Boolean).join(', ');
  $('.last', panel).replaceChildren(icon(marks[it.tone]),
    h('bdi', null, clock(new Date(it.time)) + '\u2002' + (words && words + ': ') + t(it.text)));
}

function showState(it) {
  const key = tile => (tile.action ?? '>' + tile.output) + '\n' + (tile.title ?? tile.output);
  const outputs = it.outputs ?? [], wanted = [...it.tiles ?? [], ...outputs].map(key).join('\n'), shown = [...tiles.values()].map(key).join('\n');
  const lock = $('form[action="/lock"]', panel);
  if (wanted !== shown || it.level !== panel.dataset.level || canPress && (it.locked === null) !== !lock
    || ['store', 'publish'].some(name => it[name] !== name in panel.dataset)) return location.reload();
  $('h1', panel).replaceChildren(h('bdi', null, it.name));
  $('.pill', panel).dataset.tone = it.tone;
  $('.pill span', panel).textContent = t(it.text);
  isLocked = it.locked === true;
  $('.shut', panel).hidden = canPress && !isLocked;
  if (lock) lock.hidden = isLocked;
  showLast(it.last);
  inputs = it.inputs ?? [];
  $('.doors', panel)?.replaceChildren(...inputs.map(it => h('li.pill', { 'data-tone': it.tone }, h('i'), h('span', null, h('b', null, h('bdi', null, it.input)), ' ' + inputText(it)))));
  update();
  redrawSoon();
  outputs.forEach(showOutput);
  const asked = it.question;
  for (const tile of tiles.values()) {
    if (asked?.mine && asked.action === tile.action) ask(tile, asked);
    else if (tile.state === 'confirm') setTile(tile, 'idle');
  }
  if (asked?.trigger === 'tag' && shown === 'panel') countDown(asked); else if (flashTick) endFlash();
}
function showOutput(it) {
  const tile = tiles.get('>' + it?.output);
  if (!tile) return;
  const hint = it.on === null ? 'Cannot be switched' : levelWord(it.kind, it.on);
  tile.target.do = it.do;
  tile.form.toggleAttribute('data-on', it.on === true);
  if (tile.hint === hint && tile.until === it.until) return;
  [tile.hint, tile.until] = [hint, it.until];
  if (tile.state === 'idle') setTile(tile, 'idle');
}
// The contacts of doors. Their times are the kiosk's, as those of presses.
export let inputs = [];
export function inputText(it) {
  if (it.since === null) return t(it.text);
  const age = now() - it.since, date = new Date(Date.now() - age);
  return t('{} since {}', t(it.text), (age < 864e5 ? clock : day)(date));
}
// A tag whose action asks first is confirmed by staying on the reader.
function countDown(question) {
  const count = h('div.count', null, '');
  flash('warn', count, question.title || '', 'Keep the tag there to confirm.');
  clearTimeout(flashTimer);
  const draw = () => {
    const left = Math.ceil((question.until - now()) / 1000);
    if (left > 0) count.textContent = left; else endFlash();
  };
  draw();
  flashTick = setInterval(draw, 250);
}

// ---- The stream: one connection, closed while nobody looks
function update() {
  for (const tile of tiles.values()) tile.button.disabled = isCold || isLocked || !canPress;
}
function cold(is) {
  isCold = is;
  root.classList.toggle('cold', is);
  $('.lost').hidden = !is;
  update();
}
const heard = { state(it) { cold(false); showState(it); }, outcome: showOutcome, people: redrawSoon, light() {}, beat: redrawStale, gone() { cold(true); } };
let stream, quiet, pause = 400;
function listen() {
  stream?.close();
  ahead = undefined;
  stream = new EventSource('/events');
  const mine = stream;
  stream.onopen = () => { pause = 400; };
  for (const [name, act] of Object.entries(heard)) stream.addEventListener(name, event => {
    clearTimeout(quiet);
    quiet = setTimeout(again, 25000);
    const it = JSON.parse(event.data);
    if (it) { pause = 400; hearTime(it.now); }
    act(it?.data);
  });
  stream.onerror = () => { if (mine === stream) again(); };
}
async function again() {
  cold(true);
  stream?.close();
  clearTimeout(quiet);
  quiet = setTimeout(listen, pause);
  pause = Math.min(2000, pause * 1.3);
  // A device that was removed sees the form for a code.
  const response = await fetch('/api/state').catch(() => null);
  if (response?.status === 403) location.reload();
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return listen();
  stream?.close();
  clearTimeout(quiet);
});
listen();

const isManager = panel.dataset.level === 'manage';
const names = [isManager && 'today', isManager && 'people', 'store' in panel.dataset && 'store', isManager && 'broker', isManager && 'device'].filter(Boolean);
if (names.length) frame(names);
