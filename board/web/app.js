// Tappet's page. The kiosk decides what a device may see and do; this file only draws it.
// Text from outside (a title, a name) only ever becomes a text node.
'use strict';
(() => {
const root = document.documentElement;
const $ = (path, from = document) => from.querySelector(path);
const panel = $('#panel');
if (!panel) return;

function h(name, props, ...kids) {
  const [tag, ...classes] = name.split('.');
  const el = document.createElement(tag);
  if (classes.length) el.className = classes.join(' ');
  for (const [key, value] of Object.entries(props || {})) {
    if (key.startsWith('on')) el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, value);
  }
  el.append(...kids);
  return el;
}
function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', '#i-' + name);
  svg.append(use);
  return svg;
}
const marks = { good: 'check', bad: 'cross', warn: 'wait' };
const say = text => { $('#say').textContent = text; };
const clock = date => date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

// ---- The kiosk's time, in which presses are dated: the browser's own clock may be wrong.
let ahead;
const now = () => performance.now() + ahead;
const hearTime = ms => { const found = ms - performance.now(); if (ahead === undefined || found > ahead) ahead = found; };

// ---- Tiles
const tiles = new Map();
const canPress = panel.dataset.level !== 'look';
let isLocked = false, isCold = false, answered = 0;

// The colour stays 2.5 s, its sentence until the next press.
function setTile(tile, state, note) {
  clearTimeout(tile.timer);
  clearInterval(tile.tick);
  tile.state = tile.form.dataset.state = state;
  tile.note.textContent = note ?? tile.hint;
  tile.glyph.replaceChildren(marks[state] ? icon(marks[state]) : tile.letter);
  $('.cancel', tile.form)?.remove();
  if (state === 'busy') tile.timer = setTimeout(() => setTile(tile, 'bad', 'No answer'), 6000);
  if (!marks[state]) return;
  say(tile.title + ': ' + note);
  tile.timer = setTimeout(() => setTile(tile, 'idle', note + ' ' + clock(new Date())), 2500);
}

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
  say(tile.title + ': press again to confirm, or cancel');
}

function press(tile) {
  if (!canPress || isLocked || isCold || tile.state === 'busy') return;
  if (tile.state === 'confirm') {
    // The second half of a double click is no answer.
    if (performance.now() - tile.askedAt < 500) return;
    const question = tile.question;
    setTile(tile, 'busy', 'Sending …');
    return void send('/confirm', { question }, tile);
  }
  setTile(tile, 'busy', 'Sending …');
  send('/press', { action: tile.action, id: newID(), at: Math.round(now()) }, tile);
}
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
}

for (const form of document.querySelectorAll('.tile')) {
  const glyph = $('.glyph', form);
  const tile = { form, glyph, action: form.dataset.action, title: $('b', form).textContent, hint: form.dataset.hint,
    note: $('.note', form), letter: document.createTextNode(glyph.textContent.trim()), button: $('.press', form), state: 'idle' };
  tiles.set(tile.action, tile);
  form.addEventListener('submit', event => { event.preventDefault(); press(tile); });
}
panel.addEventListener('submit', event => {
  if (event.target.getAttribute('action') !== '/lock') return;
  event.preventDefault();
  send('/lock', {});
});
$('.question', panel)?.remove();

// ---- Outcomes
let flashTimer, flashTick;
function flash(tone, mark, title, text) {
  clearTimeout(flashTimer);
  clearInterval(flashTick);
  const box = $('.flash');
  box.dataset.tone = tone;
  box.replaceChildren(mark, h('b', null, h('bdi', null, title)), h('p', null, text));
  box.hidden = false;
  say(title + ': ' + text);
  flashTimer = setTimeout(endFlash, 2500);
}
function endFlash() { $('.flash').hidden = true; clearInterval(flashTick); }
$('.flash').addEventListener('pointerdown', endFlash);

function showOutcome(it) {
  const tile = tiles.get(it.action);
  const text = it.person ? it.text + ' (' + it.person + ')' : it.text;
  showLast(it);
  if (it.trigger === 'tag') {
    // The delivery of an accepted tap is no news for somebody who stands there.
    if (it.result !== 'delivered') flash(it.tone, icon(marks[it.tone]), it.title || 'Tag', text);
  } else if (tile) {
    if (it.result === 'accepted') setTile(tile, 'busy', 'Sending …');
    else if (it.result === 'cancelled') setTile(tile, 'idle', it.text);
    else setTile(tile, it.tone, it.text);
  }
}
function showLast(it) {
  if (!it) return;
  const title = it.title ? it.title + ': ' : '';
  $('.last', panel).replaceChildren(icon(marks[it.tone]), h('bdi', null, clock(new Date(it.time)) + '\u2002' + title + it.text));
}

function showState(it) {
  const wanted = (it.tiles || []).map(tile => tile.action + '\n' + tile.title).join('\n');
  const shown = [...tiles.values()].map(tile => tile.action + '\n' + tile.title).join('\n');
  const lock = $('form[action="/lock"]', panel);
  if (wanted !== shown || it.level !== panel.dataset.level || canPress && (it.locked === null) !== !lock) return location.reload();
  $('h1', panel).replaceChildren(h('bdi', null, it.name));
  $('.pill', panel).dataset.tone = it.tone;
  $('.pill span', panel).textContent = it.text;
  isLocked = it.locked === true;
  $('.shut', panel).hidden = !isLocked;
  if (lock) lock.hidden = isLocked;
  showLast(it.last);
  update();
  const asked = it.question;
  for (const tile of tiles.values()) {
    if (asked?.mine && asked.action === tile.action) ask(tile, asked);
    else if (tile.state === 'confirm') setTile(tile, 'idle', tile.hint);
  }
  if (asked?.trigger === 'tag') countDown(asked); else if (flashTick) endFlash();
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
const heard = { state(it) { cold(false); showState(it); }, outcome: showOutcome, light() {}, beat() {}, gone() { cold(true); } };
let stream, quiet, pause = 400;
function listen() {
  stream?.close();
  ahead = undefined;
  stream = new EventSource('/events');
  const mine = stream;
  for (const [name, act] of Object.entries(heard)) stream.addEventListener(name, event => {
    clearTimeout(quiet);
    quiet = setTimeout(again, 25000);
    const it = JSON.parse(event.data);
    if (it) { pause = 400; hearTime(it.now); }
    act(it?.data);
  });
  stream.onerror = () => { if (mine === stream) again(); };
}
function again() {
  cold(true);
  stream?.close();
  clearTimeout(quiet);
  quiet = setTimeout(listen, pause);
  pause = Math.min(2000, pause * 1.3);
}
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return listen();
  stream?.close();
  clearTimeout(quiet);
});
listen();
})();
