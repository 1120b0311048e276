// Everything works without this file. It refreshes the page, searches while typing, and copies texts.

const main = document.getElementById('main');
let timer = 0;
let reading = null;
// Time by which this machine's clock lags behind the service's, in milliseconds.
let clockLag = Date.parse(main.dataset.now) - Date.now();
// The replaceable parts as they were last updated.
const lastContents = new WeakMap();

/** The content of a part without relative times, whose change is not an update. */
function contentOf(part) {
  return part.innerHTML.replace(/(<time[^>]*>)[^<]*/g, '$1');
}

/** Replaces the changed parts by those of a newer document, and keeps focus, scroll position and open details. */
function update(newer) {
  for (const part of document.querySelectorAll('[data-shape]')) {
    const other = newer.getElementById(part.id);
    if (other === null || other.dataset.shape === part.dataset.shape) continue;
    // The structure changed: for example, there were no apps before, and so no search.
    part.replaceWith(other);
    watch(other);
    enhance(other);
  }
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = newer.getElementById(part.id);
    if (other === null || contentOf(other) === lastContents.get(part)) continue;
    lastContents.set(part, contentOf(other));
    const open = [...part.querySelectorAll('details[open]')].map(textAround);
    const focus = part.contains(document.activeElement) ? elementFinder(part, document.activeElement) : null;
    part.replaceChildren(...other.childNodes);
    for (const details of part.querySelectorAll('details')) if (open.includes(textAround(details))) details.open = true;
    if (focus !== null) focus()?.focus({ preventScroll: true });
    enhance(part);
  }
  const { again, now } = newer.getElementById('main')?.dataset ?? {};
  if (again === undefined) delete main.dataset.again;
  else main.dataset.again = again;
  if (now !== undefined) clockLag = Date.parse(now) - Date.now();
}

function textAround(details) {
  return details.parentElement.textContent;
}

function elementFinder(part, element) {
  const { tagName } = element;
  const place = [...part.querySelectorAll(tagName)].indexOf(element);
  const href = element.getAttribute('href');
  return () =>
    (href === null ? null : part.querySelector(`${tagName}[href="${CSS.escape(href)}"]`)) ??
    part.querySelectorAll(tagName)[place];
}

/** Fetches a page and updates this one; reloads if the response is a different page (signed out, deleted). */
async function read(url, options = {}) {
  reading?.abort();
  const own = (reading = new AbortController());
  try {
    const answer = await fetch(url, { credentials: 'same-origin', signal: own.signal, ...options });
    const text = await answer.text();
    if (own.signal.aborted) return;
    const away = options.method !== 'POST' && new URL(answer.url).pathname !== new URL(url, location.href).pathname;
    if (!answer.ok || away) {
      // The response is another page that explains why: signed out, deleted, not allowed.
      if (options.method !== 'POST' && answer.status < 500 && answer.status !== 429) location.reload();
      return;
    }
    update(new DOMParser().parseFromString(text, 'text/html'));
    return answer.url;
  } catch (error) {
    // Offline or aborted: the next update retries.
    if (error.name !== 'AbortError' && error.name !== 'TypeError') throw error;
  } finally {
    if (reading === own) reading = null;
  }
}

/** Fetches the page again after the interval that it specifies, while it is visible. */
function schedule() {
  clearTimeout(timer);
  const seconds = Number(main.dataset.again);
  if (!(seconds > 0)) return;
  timer = setTimeout(async () => {
    if (!document.hidden && reading === null) await read(location.href);
    schedule();
  }, seconds * 1000);
}

const fullTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The same format as on the server. */
function relative(seconds) {
  const distance = Math.abs(seconds);
  if (distance < 60) return seconds > 0 ? 'in less than a minute' : 'just now';
  return seconds > 0 ? `in ${rounded(distance)}` : `${rounded(distance)} ago`;
}

function rounded(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.round(seconds / 86_400)} days`;
}

function updateTimes(root) {
  for (const time of root.querySelectorAll('time[data-relative]')) {
    const text = relative(Math.round((Date.parse(time.dateTime) - Date.now() - clockLag) / 1000));
    if (time.textContent !== text) time.textContent = text;
    time.title = fullTime.format(Date.parse(time.dateTime));
  }
}

async function copy(button) {
  const text = button.dataset.copy ?? (await textAt(button.dataset.copyUrl));
  if (text === null) return showCopied(button, 'Not copied: try again');
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the Clipboard API is unavailable, so copy a selection.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'unseen';
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    button.focus();
  }
  showCopied(button, 'Copied');
}

/** Fetches the response of a URL of this service; null if it cannot be read now. */
async function textAt(url) {
  try {
    const answer = await fetch(url, { credentials: 'same-origin' });
    return answer.ok && !answer.redirected ? await answer.text() : null;
  } catch {
    return null;
  }
}

const labels = new WeakMap();
const resetTimers = new WeakMap();

/** Shows the outcome on the button for a moment. */
function showCopied(button, outcome) {
  if (!labels.has(button)) labels.set(button, button.textContent);
  setLabel(button, outcome);
  clearTimeout(resetTimers.get(button));
  resetTimers.set(
    button,
    setTimeout(() => setLabel(button, labels.get(button)), 2000),
  );
}

function setLabel(button, word) {
  const name = button.getAttribute('aria-label');
  if (name !== null) button.setAttribute('aria-label', name.replace(button.textContent, word));
  button.textContent = word;
}

function watch(root) {
  for (const part of root.querySelectorAll('[data-live]')) lastContents.set(part, contentOf(part));
}

/** Adds script-only features to new parts of the page. */
function enhance(root) {
  for (const button of root.querySelectorAll('button.copy')) button.hidden = false;
  for (const form of root.querySelectorAll('[data-search]')) form.classList.add('live');
  updateTimes(root);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button.copy');
  if (button) void copy(button);
});

let searchTimer = 0;
async function search(form) {
  const query = new URLSearchParams(new FormData(form));
  if (query.get('q') === '') query.delete('q');
  // The first choice is the default.
  for (const { name, selectedIndex } of form.querySelectorAll('select')) if (selectedIndex === 0) query.delete(name);
  const url = `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
  history.replaceState(null, '', url);
  await read(url);
  const results = document.getElementById(form.dataset.search);
  const { top } = results.getBoundingClientRect();
  if (top < 0 || top > innerHeight - 160) form.scrollIntoView({ block: 'start' });
}

document.addEventListener('input', (event) => {
  const form = event.target.closest?.('form[data-search]');
  if (!form) return;
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => void search(form), 200);
});

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.matches('[data-search]')) {
    event.preventDefault();
    clearTimeout(searchTimer);
    void search(form);
  } else if (form.matches('[data-quiet]')) {
    event.preventDefault();
    if (form.querySelector('[aria-disabled]') === null) void submitInPlace(form);
  } else if (form.dataset.busy) {
    // Not disabled: a disabled button loses the focus, also on returning to the page.
    const button = form.querySelector('button');
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    button.textContent = form.dataset.busy;
    button.setAttribute('aria-busy', 'true');
  }
});

/** Submits a form without leaving the page, and shows the result. */
async function submitInPlace(form) {
  const url = await read(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  if (url === undefined) return form.submit();
  history.replaceState(null, '', url);
  schedule();
}

window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
document.addEventListener('visibilitychange', schedule);
watch(document);
enhance(document);
setInterval(() => updateTimes(document), 20_000);
schedule();
