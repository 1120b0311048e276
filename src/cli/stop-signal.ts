type Signal = 'SIGINT' | 'SIGTERM';

/** Resolves at the first signal to stop. A second one ends the process as if nobody listened. */
export function stopSignal(): { signal: Promise<Signal>; forget(): void } {
  let heard: (signal: Signal) => void;
  const signal = new Promise<Signal>((resolve) => {
    heard = resolve;
  });
  const listener = (name: Signal): void => {
    forget();
    heard(name);
  };
  const forget = (): void => {
    process.off('SIGINT', listener);
    process.off('SIGTERM', listener);
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return { signal, forget };
}
