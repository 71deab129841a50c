// The set-up of a kiosk: the questions of 'tappet init', which runs at the board.

import { $, api, bad, bdi, button, h, lines, t } from '/app.js';

const box = $('#setup');
let part;
// A heading begins a new card; what belongs together stays together. A card without anything but its heading goes.
function newPart(title) {
  rest();
  if (part?.matches(':has(> h2:only-child)')) part.remove();
  part = h('div.card', null, title && h('h2', null, bdi(title)));
  box.append(part);
}
function show(text, isBad) {
  if (!part) newPart();
  part.append(isBad ? h('p.bad', { role: 'alert' }, bdi(text.trim())) : h('p.soft', null, bdi(text.trim())));
}
// What is shown at the end while there is no question: how far the step is, or how long it still waits for the user.
const step = h('p.soft'), bar = h('progress', { 'aria-label': 'Progress' }), busy = h('div.busy', null, step, bar);
let timer;
function work() {
  if (!part) newPart();
  part.append(busy);
  part.scrollIntoView({ block: 'end' });
}
function rest() {
  clearInterval(timer);
  step.textContent = '';
  bar.removeAttribute('value');
  busy.remove();
}
function countDown(seconds) {
  const end = performance.now() + seconds * 1000;
  const draw = () => {
    bar.value = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    step.textContent = t('{} s left', bar.value);
  };
  bar.max = seconds;
  draw();
  timer = setInterval(draw, 500);
}
async function answer(text, form, number) {
  const wait = is => { for (const it of form.querySelectorAll('button')) it.disabled = is; };
  $('.bad', form)?.remove();
  wait(true);
  // What was answered is reported to all pages of this browser.
  try { await api('/api/setup/answer', { answer: text, number }); } catch (error) { wait(false); form.append(bad(error)); }
}
// Removes what followed the last answer to this question, which is asked again after a mistake, or after Back. A heading
// that is shown again replaces its card, too.
let isBack = false;
function unwind(question) {
  const was = [...(isBack ? box : part).querySelectorAll('[data-asked]')].findLast(it => it.dataset.asked === question);
  isBack = false;
  if (!was) return;
  const card = was.parentElement, title = it => $('h2', it)?.textContent, range = document.createRange();
  if (card !== part && title(card) === title(part)) {
    range.setStartBefore(card);
    range.setEndBefore(part);
  } else {
    range.setStartBefore(was);
    range.setEndAfter(box.lastChild);
    part = card;
  }
  range.deleteContents();
}
// Replaces the question by its answer.
function settle(it) {
  rest();
  $('form', box)?.remove();
  if (!part) newPart();
  if (!it) return;
  unwind(it.asked.trim());
  isBack = it.answer === '<';
  if (!isBack) part.append(h('p', { 'data-asked': it.asked.trim() }, bdi(it.asked.trim() + (it.asked.endsWith('?') ? '' : ':')), ' ', h('b', null, bdi(it.asked.endsWith('?') && { y: t('Yes'), n: t('No') }[it.answer] || it.answer || '–'))));
}
function ask(it) {
  if (!part) newPart();
  const usual = it.default ?? '', question = it.question.trim();
  const form = h('form.ask', { 'data-question': question });
  const back = $('[data-asked]', box) && button('quiet', 'Back', () => answer('<', form, it.number));
  if (it.kind === 'yes') {
    const choice = (word, text) => button(usual === word ? 'main' : 'quiet', text, () => answer(word, form, it.number));
    form.append(h('b', null, bdi(question)), h('p.row', null, choice('y', 'Yes'), choice('n', 'No'), back));
  } else {
    const choices = it.choices ?? [], isChoice = choices.some(one => one.answer === usual);
    const field = h('input', { name: 'answer', type: it.kind === 'secret' ? 'password' : 'text', value: isChoice ? '' : usual, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
    if (it.choices) form.append(h('b', null, bdi(question)), h('p.choices', null, ...choices.map(({ answer: word, text }) =>
      h('button.' + (word === usual ? 'main' : 'quiet'), { type: 'button', onclick: () => answer(word, form, it.number) }, bdi(text)))));
    const next = h('button.' + (isChoice ? 'quiet' : 'main'), null, 'Next');
    if (!it.choices || it.other) form.append(h('label', null, bdi(it.other ?? question), field), h('p.row', null, next, back));
    else if (back) form.append(h('p.row', null, back));
    form.addEventListener('submit', event => {
      event.preventDefault();
      answer(field.value, form, it.number);
    });
  }
  settle();
  if (isBack) unwind(question);
  part.append(form);
  form.scrollIntoView({ block: 'end' });
  if (!it.choices) $('input', form)?.select();
}
function hear(it) {
  // The time of what was asked for earlier has begun earlier.
  if (it.history) return it.history.forEach(one => hear({ ...one, seconds: null }));
  if (it.question) return ask(it);
  if (it.asked) settle(it);
  // The time for a tag goes on after a bad one.
  if (!it.bad) rest();
  // A line that begins with an empty one is a heading.
  if (it.line?.startsWith('\n')) newPart(it.line.trim());
  else if (it.line) for (const line of it.bad ? [it.line] : it.line.split('\n')) show(line, it.bad);
  if (it.progress) step.textContent = it.progress;
  if (it.seconds) countDown(it.seconds);
  work();
}
async function follow() {
  let result;
  try {
    await lines('/api/setup', {}, undefined, it => { if (it.result === undefined) hear(it); else result = it.result; });
  } catch (error) { box.append(bad(error)); }
  if (result === undefined) return void setTimeout(() => { box.replaceChildren($('header', box)); part = null; follow(); }, 1000);
  settle();
  newPart();
  part.append(h(result === 0 ? 'p' : 'p.bad', { role: 'status' }, result === 0 ? 'Done. Start the kiosk as the last lines say; this page has ended.' : "The set-up has ended without success. Run it again at the kiosk's terminal."));
  part.scrollIntoView({ block: 'end' });
}
follow();
