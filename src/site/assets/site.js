// Everything works without this file. It filters the list of apps, and copies texts.

/** Changing thousands of rows at once would delay the next key. Showing a row takes five times as long as hiding one. */
const HIDDEN_PER_FRAME = 500;

const search = document.getElementById('search');
if (search !== null) startSearch(document.getElementById('q'), [...document.querySelectorAll('#apps > li')]);

function startSearch(input, items) {
  const count = document.getElementById('count');
  const none = document.getElementById('none');
  const number = new Intl.NumberFormat('en-US');
  let texts = null;
  let timer = 0;
  let frame = 0;

  function show(matches, from) {
    let left = HIDDEN_PER_FRAME;
    let index = from;
    for (; index < items.length && left > 0; index++) {
      if (items[index].hidden !== matches[index]) continue;
      items[index].hidden = !matches[index];
      left -= matches[index] ? 5 : 1;
    }
    if (index < items.length) frame = requestAnimationFrame(() => show(matches, index));
  }

  function filter() {
    texts ??= items.map((item) => item.textContent.toLowerCase());
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = texts.map((text) => words.every((word) => text.includes(word)));
    const shown = matches.filter(Boolean).length;
    cancelAnimationFrame(frame);
    show(matches, 0);
    none.hidden = shown > 0;
    // Screen readers read the result once the typing pauses.
    clearTimeout(timer);
    timer = setTimeout(() => {
      count.textContent = words.length === 0 ? '' : `${number.format(shown)} of ${number.format(items.length)} apps`;
      const url = new URL(location.href);
      if (words.length === 0) url.searchParams.delete('q');
      else url.searchParams.set('q', input.value);
      if (url.href !== location.href) history.replaceState(null, '', url);
    }, 200);
  }

  search.hidden = false;
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  if (input.value !== '') filter();
  input.addEventListener('input', filter);
}

// An icon that does not load leaves the color of the app.
document.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLImageElement) target.hidden = true;
  },
  true,
);

for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.getAttribute('aria-label');
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    let done = 'Copied';
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      done = 'Not copied';
    }
    button.textContent = done;
    button.setAttribute('aria-label', label.replace('Copy', done));
    setTimeout(() => {
      button.textContent = 'Copy';
      button.setAttribute('aria-label', label);
    }, 2000);
  });
}
