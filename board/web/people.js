// People, and their tags.

import { $, api, askPassword, bad, bdi, button, card, day, drawBelow, facts, finder, foreign, guarded, h, icon, lines, marks, pages, panel, plural, query, round, row, sentence, sheet, shown, soft, svg, t } from '/app.js';

async function all(path, name) {
  const found = [];
  for (let from = 0; from !== null;) {
    const reply = await api(path + query({ from }));
    found.push(...reply[name]);
    from = reply.next;
  }
  return found;
}
const initials = name => name.split(' ').map(word => [...word][0]).filter(Boolean).slice(0, 2).join('').toUpperCase();
const since = seconds => seconds ? t('used {}', day(new Date(seconds * 1000))) : t('not used yet');
function chip(one) {
  if (one.suspended) return h('span.chip', { 'data-tone': 'bad' }, 'Suspended');
  if (one.uses !== null) return h('span.chip', { 'data-tone': one.used < one.uses ? 'warn' : 'bad' }, plural(Math.max(0, one.uses - one.used), '{} use left', '{} uses left'));
  return one.until && h('span.chip', null, t('until {}', one.until.replaceAll('-', '\u2011')));
}
const search = finder('Find a person');
const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
export async function draw(content) {
  const [people, secrets] = [await all('/api/people', 'people'), await all('/api/secrets', 'secrets')];
  const list = h('ul.list');
  const show = one => showPerson(one, secrets.filter(secret => secret.person === one.name), content);
  // Below the sheet of a person, the list waits until that is closed.
  const open = $('.sheet[open] [data-person]')?.dataset.person, seen = open && people.find(one => one.name === open);
  if (seen) return show(seen);
  search.oninput = draw;
  function draw() {
    const wanted = plain(search.value.trim());
    const found = people.filter(one => plain(one.name).includes(wanted));
    list.replaceChildren(...found.slice(0, 200).map(one => row(h('span.mark', { 'aria-hidden': 'true' }, initials(one.name)), one.name,
      plural(one.tags, '{} tag', '{} tags'), chip(one), () => show(one))));
    if (!found.length) list.append(h('li', null, soft(people.length ? 'Nobody has this name.' : 'Nobody yet.')));
    if (found.length > 200) list.append(h('li', null, soft(t('And {} more: find them by name.', found.length - 200))));
  }
  draw();
  const unowned = secrets.filter(secret => !secret.person);
  const rest = unowned.length > 0 && card('Tags without a person', h('ul.list', null, ...unowned.slice(0, 200).map(secret => tagRow(secret, content))));
  const add = h('div.card', null, list, button('quiet', [icon('plus'), 'Add a person'], () => askName(t('A new person'), '', name => change('/api/person/add', { name }, content))));
  drawBelow(search, content, [add, rest].filter(Boolean));
  const wanted = decodeURIComponent(location.hash.split('?')[1] ?? '');
  if (wanted) { history.replaceState(null, '', '#people'); const one = people.find(one => one.name === wanted); if (one) show(one); }
}
// Sends a change, and draws the page again; the reason of a failure stays in the sheet.
async function change(path, form, content) {
  try {
    await api(path, form);
    $('.sheet').close();
    await draw(content);
  } catch (error) {
    await draw(content);
    $('.sheet').append(bad(error));
  }
}
function tagRow(secret, content) {
  const name = secret.label || t('Tag'), made = t('written {}', day(new Date(secret.created * 1000)));
  return h('li', null, h('span.mark', null, icon('tag')),
    h('span.grow', null, h('b', null, bdi(name)), h('span.soft', null, bdi(secret.action + ', ' + made + ', ' + since(secret.last_used)))),
    round(t('Show the code of {}', name), icon('share'), () => showCode(secret)),
    round(t('Remove {}', name), icon('cross'), () => askRemoval(t('Remove {}', name),
      t('This tag of {}, {}, is refused from now on. This cannot be undone.', secret.person || t('nobody'), made), '/api/secret/remove', { id: secret.id }, content)));
}
function showCode(secret) {
  guarded('/api/share', { id: secret.id }, it => {
    const box = $('.sheet');
    const code = svg('svg', { class: 'qr', viewBox: `0 0 ${it.width} ${it.width}`, role: 'img', 'aria-label': 'QR code' }, svg('path', { d: it.path }));
    sheet(secret.label || t('Tag'), code, soft("Scan this code with the app. Anyone who scans it gets the tag's key. The code disappears after 60 seconds."));
    const timer = setTimeout(() => box.close(), 60000);
    box.addEventListener('close', () => { clearTimeout(timer); code.remove(); }, { once: true });
  });
}
function askRemoval(title, text, path, form, content) {
  sheet(title, soft(text), h('p.row', null, button('danger', 'Remove', () => guarded(path, form, () => { $('.sheet').close(); draw(content); }))));
}
function askName(title, value, act) {
  const name = h('input', { name: 'name', value, required: '', maxlength: 64, autocomplete: 'off' });
  sheet(title, h('form.ask', { onsubmit: event => { event.preventDefault(); act(name.value); } },
    h('label', null, 'Name', name), h('button.main', null, 'Save')));
  name.focus();
}
function showPerson(one, secrets, content) {
  const hours = one.suspended ? t('never, while suspended') : one.hours.length ? one.hours.join('; ') : t('at any time');
  sheet(one.name,
    facts([['Allowed', hours], ['From', one.from], ['Until', one.until], ['Uses', one.uses === null ? '' : t('{} of {}', one.used, one.uses)]]),
    h('ul.list', { 'data-person': one.name }, ...secrets.map(secret => tagRow(secret, content))),
    soft(one.site ? 'This person belongs to the site, which is managed elsewhere.'
      : one.suspended ? 'All of their tags are refused.' : 'Suspending takes effect at once, for all of their tags.'),
    !one.site && h('p.row', null,
      one.suspended ? button('main', 'Restore access', () => change('/api/person/resume', { name: one.name }, content))
        : button('quiet', 'Suspend', () => change('/api/person/suspend', { name: one.name }, content)),
      button('quiet', 'Write a tag', () => askTag(one.name)),
      button('quiet', 'Rename', () => askName(t('Rename {}', one.name), one.name, name => change('/api/person/rename', { name: one.name, new_name: name }, content))),
      button('danger', 'Remove', () => askRemoval(t('Remove {}', one.name), 'All of their tags are refused from now on. This cannot be undone.', '/api/person/remove', { name: one.name }, content))));
}

// ---- Write a tag
const tagTitle = person => person ? t('A tag for {}', person) : t('A new tag');
async function askTag(known) {
  const { actions } = await api('/api/actions');
  const people = known ? [] : await all('/api/people', 'people');
  const owner = h('select', { name: 'person' }, h('option', { value: '' }, 'Nobody'), ...people.map(it => h('option', { value: it.name }, foreign(it.name))));
  const choice = h('select', { name: 'action' }, ...actions.map(it => h('option', { value: it.action }, foreign(it.title))));
  const label = h('input', { name: 'label', maxlength: 64, autocomplete: 'off', placeholder: 'Key ring' });
  sheet(tagTitle(known),
    h('form.ask', { onsubmit: event => {
      event.preventDefault();
      const person = known || owner.value;
      writeTag(person, { action: choice.value, label: label.value.trim(), person }, choice.selectedOptions[0].text);
    } }, !known && h('label', null, 'Person', owner), h('label', null, 'Action', choice), h('label', null, 'Label', label), h('button.main', null, 'Write')));
}
// A closed sheet, or a lost page, ends the job; a write that has begun is still completed.
async function writeTag(person, form, title) {
  const box = $('.sheet');
  const stop = new AbortController();
  const text = h('b', null, 'Hold the tag to the reader'), bar = h('progress', { max: 1, value: 0, 'aria-label': 'Progress' });
  const pill = $('.pill', panel);
  sheet(tagTitle(person), h('div.hold', { role: 'status' }, icon('tag'), text, bar),
    pill.dataset.tone === 'bad' && h('p.bad', null, t('The kiosk needs attention: {}.', $('span', pill).textContent)));
  box.addEventListener('close', () => stop.abort(), { once: true });
  let result;
  try {
    await lines('/api/tag', form, stop.signal, it => {
      if (it.result) result = it.result;
      else if (it.notice === 'progress') { [bar.max, bar.value] = [it.total, it.done]; text.textContent = t('Keep it there'); }
      else if (it.notice) text.textContent = t('That was too short. Hold the tag to the reader');
    });
    if (!result) throw new Error('Connection to the kiosk lost. Try again when it is back.');
  } catch (error) {
    if (stop.signal.aborted) return;
    if (error.code === 'again') return askPassword(() => writeTag(person, form, title));
    result = { done: false, sentence: error.message };
  }
  const tone = result.done ? 'good' : 'bad';
  if (shown === 'people') await pages.get('people').draw();
  sheet(tagTitle(person), h('div.hold', { 'data-tone': tone, role: 'status' }, icon(marks[tone]),
    h('b', null, result.done ? 'The tag is ready' : 'The tag is not ready'), h('p', null, bdi(result.done ? title + (person ? ', ' + person : '') : t(sentence(result.sentence))))),
    h('p.row', null, button('quiet', result.done ? 'Another tag' : 'Try again', () => askTag(person))));
}
export const isLive = () => !$('.sheet').open || !!$('.sheet [data-person]');
export const sheetClosed = () => pages.get('people').draw();
export const tools = [button('main', [icon('tag'), 'Write a tag'], () => askTag(''))];
