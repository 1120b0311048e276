// Everything works without this file. It keeps what is shown current, searches while one types, and copies.

const main = document.getElementById('main');
let timer = 0;
let reading = null;
// How far this machine's clock is behind the service's, in milliseconds.
let behind = Date.parse(main.dataset.now) - Date.now();
// What the parts that may change were, when they were last taken over.
const seen = new WeakMap();

/** A part without how long ago things were: that alone is no news. */
function gist(part) {
  return part.innerHTML.replace(/(<time[^>]*>)[^<]*/g, '$1');
}

/** Takes over the parts of a newer document that may change, and leaves focus, scrolling and open details as they are. */
function takeOver(newer) {
  for (const part of document.querySelectorAll('[data-shape]')) {
    const other = newer.getElementById(part.id);
    if (other === null || other.dataset.shape === part.dataset.shape) continue;
    // What it is made of is another thing now: there were no apps, say, and so nothing to search in.
    part.replaceWith(other);
    watch(other);
    dress(other);
  }
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = newer.getElementById(part.id);
    if (other === null || gist(other) === seen.get(part)) continue;
    seen.set(part, gist(other));
    const open = [...part.querySelectorAll('details[open]')].map(whichDetails);
    const focus = part.contains(document.activeElement) ? whichElement(part, document.activeElement) : null;
    part.replaceChildren(...other.childNodes);
    for (const details of part.querySelectorAll('details'))
      if (open.includes(whichDetails(details))) details.open = true;
    if (focus !== null) focus()?.focus({ preventScroll: true });
    dress(part);
  }
  const { again, now } = newer.getElementById('main')?.dataset ?? {};
  if (again === undefined) delete main.dataset.again;
  else main.dataset.again = again;
  if (now !== undefined) behind = Date.parse(now) - Date.now();
}

function whichDetails(details) {
  return details.parentElement.textContent;
}

function whichElement(part, element) {
  const { tagName } = element;
  const place = [...part.querySelectorAll(tagName)].indexOf(element);
  const href = element.getAttribute('href');
  return () =>
    (href === null ? null : part.querySelector(`${tagName}[href="${CSS.escape(href)}"]`)) ??
    part.querySelectorAll(tagName)[place];
}

/** Reads a page and takes it over; a page that leads elsewhere (signed out, gone) is gone to. */
async function read(url, options = {}) {
  reading?.abort();
  const own = (reading = new AbortController());
  try {
    const answer = await fetch(url, { credentials: 'same-origin', signal: own.signal, ...options });
    const text = await answer.text();
    if (own.signal.aborted) return;
    const away = options.method !== 'POST' && new URL(answer.url).pathname !== new URL(url, location.href).pathname;
    if (!answer.ok || away) {
      // A page of its own says what is the matter: signed out, gone, not allowed.
      if (options.method !== 'POST' && answer.status < 500 && answer.status !== 429) location.reload();
      return;
    }
    takeOver(new DOMParser().parseFromString(text, 'text/html'));
    return answer.url;
  } catch (error) {
    // Away from the network, or overtaken: the next time will do.
    if (error.name !== 'AbortError' && error.name !== 'TypeError') throw error;
  } finally {
    if (reading === own) reading = null;
  }
}

/** Reads the page again after the time that it names, as long as somebody sees it. */
function schedule() {
  clearTimeout(timer);
  const seconds = Number(main.dataset.again);
  if (!(seconds > 0)) return;
  timer = setTimeout(async () => {
    if (!document.hidden && reading === null) await read(location.href);
    schedule();
  }, seconds * 1000);
}

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** As the server writes it. */
function relative(seconds) {
  const distance = Math.abs(seconds);
  if (distance < 60) return seconds > 0 ? 'in less than a minute' : 'just now';
  const minutes = distance < 120 ? 1 : Math.round(distance / 60);
  const hours = Math.floor(minutes / 60);
  const span =
    minutes < 120
      ? minutes === 60
        ? '1 hour'
        : `${minutes} min`
      : hours < 48
        ? minutes % 60 === 0
          ? `${hours} hours`
          : `${hours} h ${minutes % 60} min`
        : `${Math.round(hours / 24)} days`;
  return seconds > 0 ? `in ${span}` : `${span} ago`;
}

function tellTimes(root) {
  for (const time of root.querySelectorAll('time[data-relative]')) {
    const text = relative(Math.round((Date.parse(time.dateTime) - Date.now() - behind) / 1000));
    if (time.textContent !== text) time.textContent = text;
    time.title = whole.format(Date.parse(time.dateTime));
  }
}

async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https there is no clipboard to write to but by way of a selection.
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'unseen';
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    button.focus();
  }
  say(button, 'Copied');
  clearTimeout(told.get(button));
  told.set(
    button,
    setTimeout(() => say(button, 'Copy'), 2000),
  );
}

const told = new WeakMap();
function say(button, word) {
  button.setAttribute('aria-label', button.getAttribute('aria-label').replace(button.textContent, word));
  button.textContent = word;
}

function watch(root) {
  for (const part of root.querySelectorAll('[data-live]')) seen.set(part, gist(part));
}

/** Gives new parts of the page what only a script can give. */
function dress(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false;
  for (const form of root.querySelectorAll('[data-search]')) form.classList.add('live');
  tellTimes(root);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button[data-copy]');
  if (button) void copy(button);
});

let typing = 0;
async function search(form) {
  const query = new URLSearchParams(new FormData(form));
  if (query.get('q') === '') query.delete('q');
  const url = `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
  history.replaceState(null, '', url);
  await read(url);
}

document.addEventListener('input', (event) => {
  const form = event.target.closest?.('form[data-search]');
  if (!form) return;
  clearTimeout(typing);
  typing = setTimeout(() => void search(form), 200);
});

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.matches('[data-search]')) {
    event.preventDefault();
    clearTimeout(typing);
    void search(form);
  } else if (form.matches('[data-quiet]')) {
    event.preventDefault();
    void act(form);
  } else if (form.dataset.busy) {
    // Not disabled: a button that is loses the focus, and coming back would find it so.
    const button = form.querySelector('button');
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    button.textContent = form.dataset.busy;
    button.setAttribute('aria-busy', 'true');
  }
});

/** Sends a form without leaving the page, and shows what became of it. */
async function act(form) {
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
dress(document);
setInterval(() => tellTimes(document), 20_000);
schedule();
