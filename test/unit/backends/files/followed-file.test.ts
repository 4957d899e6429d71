import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FollowedFile, SETTLE_MS, type FileLook } from '../../../../operator/backends/files/followed-file';
import type { Refusal } from '../../../../operator/errors/outcome';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const POLL_MS = 1_000;
const refusal = (message: string): Refusal => ({ code: 'settings/invalid', message });

describe('FollowedFile', () => {
  let folder: string;
  let clock: ManualClock;
  let logger: RecordedLogger;
  let opened: FollowedFile<readonly number[]> | undefined;
  let objections: readonly Refusal[];
  let looks: ((look: FileLook) => void)[];
  let event: (() => void) | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'followed-'));
    [clock, logger, objections, looks] = [new ManualClock(), new RecordedLogger(), [], []];
    [opened, event] = [undefined, undefined];
  });
  afterEach(async () => {
    await opened?.close();
    await rm(folder, { recursive: true });
  });

  const write = async (...texts: readonly string[]): Promise<void> => {
    for (const [i, text] of texts.entries()) await writeFile(join(folder, String(i)), text);
  };
  const open = async (watch?: 'events' | 'fails'): Promise<FollowedFile<readonly number[]>> => {
    opened = await FollowedFile.open<readonly number[]>({
      paths: [join(folder, '0'), join(folder, '1')],
      clock,
      logger,
      pollMs: POLL_MS,
      parse: (...texts) => {
        const wrong = texts.filter((text) => !Number.isInteger(Number(text)));
        if (wrong.length > 0) return { ok: false, problems: wrong.map((text) => refusal(`"${text}" is no number`)) };
        return { ok: true, value: texts.map(Number) };
      },
      words: { file: 'number files', content: 'numbers' },
      unusable: { code: 'settings/invalid', title: '--numbers' },
      objections: () => Promise.resolve(objections),
      onLook: (look) => {
        looks.splice(0).forEach((tell) => {
          tell(look);
        });
      },
      ...(watch === undefined
        ? {}
        : {
            watch: (at: string, onEvent: () => void) => {
              if (watch === 'fails') throw new RangeError(`no handle for ${at}`);
              event = onEvent;
              return () => (event = undefined);
            },
          }),
    });
    return opened;
  };
  const nextLook = (): Promise<FileLook> => new Promise((resolve) => looks.push(resolve));

  test('takes several files together, and tells the value to those who listen', async () => {
    await write('1', '2');
    const file = await open();
    const told: (readonly number[])[] = [];
    const stop = file.onChange((value) => told.push(value));
    await write('3', '4');
    expect([await file.reload(), await file.reload(), file.current()]).toEqual(['ok', 'unchanged', [3, 4]]);
    stop();
    await write('5', '6');
    await file.reload();
    expect(told).toEqual([[3, 4]]);
  });

  test.each<[string, readonly string[], string]>([
    ['one problem', ['1', 'x'], '--numbers: "x" is no number'],
    ['several problems', ['y', 'x'], '--numbers:\n  - "y" is no number\n  - "x" is no number'],
    ['a missing file', ['1'], '--numbers: the file "FOLDER/1" cannot be read (ENOENT)'],
  ])('ends the start with %s', async (_what, texts, message) => {
    await write(...texts);
    await expect(open()).rejects.toMatchObject({
      code: 'settings/invalid',
      message: message.replace('FOLDER', folder),
    });
    expect(clock.waiting).toBe(0);
  });

  test('ends the start with an objection', async () => {
    await write('1', '2');
    objections = [refusal('not these')];
    await expect(open()).rejects.toThrow('--numbers: not these');
  });

  test('tells a problem once, when the file was last good, and that all is well again as before', async () => {
    await write('1', '2');
    const lastSeen = new Date(clock.nowMs()).toISOString();
    const file = await open();
    const told: (readonly number[])[] = [];
    file.onChange((value) => told.push(value));
    clock.advance(POLL_MS - 1);
    await write('1', 'x');
    clock.advance(10);
    expect([await file.reload(), await file.reload()]).toEqual(['unchanged', 'unchanged']);
    expect([file.current(), file.problem()]).toEqual([[1, 2], '"x" is no number']);
    await rm(join(folder, '1'));
    expect([await file.reload(), file.problem()]).toEqual([
      'unreadable',
      `the file "${join(folder, '1')}" cannot be read (ENOENT)`,
    ]);
    await write('1', '2');
    expect([await file.reload(), file.problem(), told]).toEqual(['ok', undefined, []]);
    expect(logger.lines.map(({ fields }) => fields['lastSeen'])).toEqual([lastSeen, lastSeen, undefined]);
    expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'error number files: not usable, the last good numbers stay',
      'error number files: not usable, the last good numbers stay',
      'info number files: usable again, as before',
    ]);
  });

  test('looks again and again, each time when the last look ended', async () => {
    await write('1', '2');
    const file = await open();
    for (const text of ['3', '4']) {
      await write(text, '2');
      const looked = nextLook();
      clock.advance(POLL_MS);
      expect(await looked).toBe('ok');
      await file.reload();
      expect(file.current()).toEqual([Number(text), 2]);
    }
  });

  test('looks soon after the last of several events', async () => {
    await write('1', '2');
    const file = await open('events');
    await write('3', '2');
    event?.();
    clock.advance(SETTLE_MS - 1);
    event?.();
    const looked = nextLook();
    clock.advance(SETTLE_MS - 1);
    expect(file.current()).toEqual([1, 2]);
    clock.advance(1);
    expect(await looked).toBe('ok');
  });

  test('says that it only polls where the folder cannot be watched', async () => {
    await write('1', '2');
    await open('fails');
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'number files: changes are seen by polling only', fields: { file: join(folder, '0') } },
    ]);
    expect(clock.waiting).toBe(1);
  });

  test('reads nothing and waits for nothing after close', async () => {
    await write('1', '2');
    const file = await open('events');
    event?.();
    await Promise.all([file.close(), file.close()]);
    await write('3', '4');
    expect([await file.reload(), file.current(), clock.waiting, event]).toEqual(['unchanged', [1, 2], 0, undefined]);
  });
});
