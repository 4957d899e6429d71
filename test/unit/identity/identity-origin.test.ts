import { setImmediate } from 'node:timers/promises';
import { IdentityOrigin } from '../../../operator/identity/identity-origin';
import { IdentityWatch, LOOK_MS, STRANGER_GONE_MS } from '../../../operator/identity/identity-watch';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

/** Looks until a silent cluster would count as gone, and a few more. */
const LONG = STRANGER_GONE_MS / LOOK_MS + 2;

const clock = new ManualClock();
let notes: Map<string, string>;
let open: IdentityWatch[];

beforeEach(() => {
  notes = new Map();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((watch) => watch.close()));
});

function noteOf(name: string): (text?: string) => Promise<string> {
  return (text) => {
    if (text !== undefined) notes.set(name, text);
    return Promise.resolve(notes.get(name) ?? '');
  };
}

function originNote(change?: { readonly text: string; readonly expected: string }): Promise<string> {
  const note = noteOf('origin');
  return change?.expected === (notes.get('origin') ?? '') ? note(change.text) : note();
}

/** Starts the leader of a cluster, by the UID of its `kube-system`; each process has a name of its own. */
function lead(cluster: string, instance = cluster) {
  const [logger, meter] = [new RecordedLogger(), new RecordedMeter()];
  const watch = new IdentityWatch({
    clock,
    logger,
    meter,
    instance,
    leader: () => instance,
    hasLed: () => false,
    note: noteOf('presence'),
    origin: new IdentityOrigin({ own: () => Promise.resolve(cluster), note: originNote }),
    at: () => Promise.resolve(`at ${instance}`),
  });
  open.push(watch);
  let begun = false;
  const work = watch.whenSure({
    begin: () => {
      begun = true;
    },
    end: () => Promise.resolve(),
  });
  work.begin();
  return { watch, logger, meter, work, leads: () => begun };
}

async function looks(count: number): Promise<void> {
  const step = LOOK_MS / 5;
  for (let passed = 0; passed < count * LOOK_MS; passed += step) {
    clock.advance(step);
    await setImmediate(); // each look ends in its own step, however many promises it takes
  }
}

describe('FU-06 a cluster of another kube-system under one identity', () => {
  test('never counts as gone by time, also where it ended in order', async () => {
    const first = lead('one');
    await looks(4);
    expect(first.leads()).toBe(true);
    await first.work.end();
    await first.watch.close();
    const second = lead('two');
    await looks(2 * LONG);

    expect([second.leads(), second.watch.alone()]).toEqual([false, false]);
    expect(second.watch.stranger()).toContain('UID "one"');
    expect(second.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(second.meter.of('identity_silent').at(-1)?.value).toBe(1);
  });

  test('is ended by an administrator once it is silent, and not before', async () => {
    const first = lead('one');
    await looks(4);
    const second = lead('two');
    await looks(4);
    const alive = await second.watch.forget('one', false);
    expect(alive).toMatchObject({ ok: false, refusal: { code: 'cluster/identity-shared' } });
    await first.watch.close();
    await looks(LONG);
    expect(await second.watch.forget('three', false)).toMatchObject({ ok: false, refusal: { code: 'api/not-found' } });
    expect(await second.watch.forget('one', true)).toEqual({ ok: true, value: undefined });
    expect(second.watch.alone()).toBe(false);
    expect(await second.watch.forget('one', false)).toEqual({ ok: true, value: undefined });
    await looks(LONG);
    expect([second.leads(), second.watch.stranger()]).toEqual([true, undefined]);
    expect(second.meter.of('identity_shared').at(-1)?.value).toBe(0);
    const back = lead('one', 'once more');
    await looks(4);

    expect([back.leads(), back.watch.stranger()]).toEqual([false, expect.stringContaining('UID "two"')]);
  });

  test('is ended by an administrator also where both had begun before either knew whose the claims are', async () => {
    const first = lead('one');
    await looks(1.4);
    notes.clear(); // as from a version that knew no origin; until the next look of the first one nobody is there
    const second = lead('two');
    await looks(6);
    expect([first.leads(), second.leads(), first.watch.alone()]).toEqual([true, true, false]);
    await second.watch.close();
    await looks(LONG);
    expect(first.watch.alone()).toBe(false);
    expect(first.meter.of('identity_silent').at(-1)?.value).toBe(1);
    expect(first.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(await first.watch.forget('two', false)).toEqual({ ok: true, value: undefined });
    await looks(1);

    expect([first.watch.alone(), first.watch.stranger()]).toEqual([true, undefined]);
    expect(first.meter.of('identity_shared').at(-1)?.value).toBe(0);
  });

  test('does not disturb the one whose the claims are', async () => {
    const first = lead('one');
    await looks(4);
    lead('two');
    await looks(LONG);

    expect([first.watch.alone(), first.watch.stranger()]).toEqual([true, undefined]);
  });
});
