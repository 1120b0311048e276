// Everything works without this file. It filters the list of apps, and copies texts.

const search = document.getElementById('search');
if (search !== null) startSearch(document.getElementById('q'), [...document.querySelectorAll('#apps > li')]);

function startSearch(input, items) {
  const count = document.getElementById('count');
  const none = document.getElementById('none');
  const number = new Intl.NumberFormat('en-US');
  let texts = null;
  let timer = 0;

  function filter() {
    texts ??= items.map((item) => item.textContent.toLowerCase());
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [index, item] of items.entries()) {
      const matches = words.every((word) => texts[index].includes(word));
      if (matches) shown += 1;
      if (item.hidden === matches) item.hidden = !matches;
    }
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
