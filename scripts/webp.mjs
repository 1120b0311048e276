/**
 * Chromium takes screenshots as PNG only, which are four times as large.
 * @param browser of playwright-core
 * @param {Buffer} png
 * @param {number} quality from 0 to 1
 * @returns the bytes of the same picture as WebP
 */
export async function webpOf(browser, png, quality) {
  const page = await browser.newPage();
  const url = await page.evaluate(
    async ([source, level]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', level);
    },
    [`data:image/png;base64,${png.toString('base64')}`, quality],
  );
  await page.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
