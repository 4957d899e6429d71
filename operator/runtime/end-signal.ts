const ending = new AbortController();

// As process 1 a program without a handler never hears a signal, so the handlers come with this module, which loads before the rest.
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, () => {
    ending.abort();
  });
}

/** Aborted by the first SIGTERM or SIGINT that the process gets. */
export const END_SIGNAL: AbortSignal = ending.signal;
