// A registry, served over HTTPS, and the service beside it, which trusts that server and may ask this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * @param appreg the program to run @param folder of the registry @param data of the service
 * @param say receives the warnings and errors of the service's log, and the error that ends `serve`
 * @throws an error with `command` if one of the two ends before it is ready
 * @returns the URLs of the manifest and of the service, `ended`, and `stop`
 */
export async function startSideBySide(appreg, folder, data, say) {
  const registry = start('serve', folder, '--https', '--port', '8080');
  const children = [registry];
  let stopped = null;
  // Once: a second signal would end the service before it has stopped its database.
  const stop = () => (stopped ??= stopAll());
  try {
    const manifest = await registry.ready;
    const service = start('service', '--allow-host', 'localhost', '--ca', await registry.authority, '--data', data);
    children.push(service);
    const page = await service.ready;
    return { manifest, page, ended: Promise.race(children.map(({ ended }) => ended)), stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function stopAll() {
    for (const { child } of children) if (child.exitCode === null) child.kill('SIGTERM');
    await Promise.all(children.map(({ ended }) => ended));
  }

  function start(...args) {
    // In its own process group: Ctrl+C goes only to the process that started both.
    const child = spawn(process.execPath, [appreg, ...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const ended = once(child, 'exit');
    const early = ended.then(([code]) => {
      throw Object.assign(new Error(`appreg ${args[0]} ended with ${code}`), { command: args[0] });
    });
    const ready = Promise.race([once(createInterface({ input: child.stdout }), 'line').then(([line]) => line), early]);
    let found;
    // The log names the authority that signed the certificate.
    const authority = new Promise((resolve) => (found = resolve));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const ca = /--ca ('[^']+'|"[^"]+"|\S+)/.exec(line);
      if (ca) found(ca[1].replaceAll(/['"]/g, ''));
      if (args[0] === 'service' ? !/^\{.*"level":"(debug|info)"/.test(line) : line.startsWith('appreg: ')) say(line);
    });
    early.catch(() => {});
    ready.catch(() => {});
    return { child, ready, ended, authority };
  }
}
