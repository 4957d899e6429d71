import { mkdtemp, rename, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SETTLE_MS, type FileLook, type FollowedFile } from '../../../../operator/backends/files/followed-file';
import { ZONE_FILE_POLL_MS, openZoneFile, type ZoneFileOptions } from '../../../../operator/backends/files/zone-file';
import type { ZoneCatalogue } from '../../../../operator/contract/zones';
import type { LogFields } from '../../../../operator/ports/logger';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';

const good = (name: string): string => `version: 1\nzones:\n  - name: ${name}\n    prefixes: [10.0.0.0/24]\n`;

/** A zone file in a folder of its own, with everything it says and counts. */
class Bench {
  readonly clock = new ManualClock();
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  folder = '';
  objections: NonNullable<ZoneFileOptions['objections']> = () => Promise.resolve([]);
  #waiters: ((result: FileLook) => void)[] = [];
  #onEvent = (): void => undefined;
  #source: FollowedFile<ZoneCatalogue> | undefined;

  get path(): string {
    return join(this.folder, 'zones.yaml');
  }

  /** Results of the looks that were counted. */
  get counted(): string[] {
    return this.meter.of('zones_reloads_total').map(({ labels }) => labels['result'] ?? '');
  }

  async open(text: string | undefined, extra: { realEvents?: boolean } = {}): Promise<FollowedFile<ZoneCatalogue>> {
    this.folder = await mkdtemp(join(tmpdir(), 'zone-file-'));
    if (text !== undefined) await writeFile(this.path, text);
    return this.reopen(extra);
  }

  async reopen({ realEvents = false }: { realEvents?: boolean } = {}): Promise<FollowedFile<ZoneCatalogue>> {
    this.#source = await openZoneFile({
      path: this.path,
      clock: this.clock,
      logger: this.logger,
      meter: this.meter,
      onReload: (result) => {
        this.#waiters.splice(0).forEach((wake) => {
          wake(result);
        });
      },
      objections: (next, before) => this.objections(next, before),
      ...(realEvents
        ? {}
        : {
            watch: (_folder: string, onEvent: () => void) => {
              this.#onEvent = onEvent;
              return () => undefined;
            },
          }),
    });
    return this.#source;
  }

  looked(): Promise<FileLook> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  event(): void {
    this.#onEvent();
  }

  async end(): Promise<void> {
    await this.#source?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

describe('openZoneFile', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.end());

  test('reads YAML', async () => {
    expect((await bench.open(good('inet'))).current().names).toEqual(['inet']);
  });

  test('reads JSON', async () => {
    const text = JSON.stringify(
      { version: 1, zones: [{ name: 'inet', prefixes: ['2001:db8::/64'] }] },
      undefined,
      '\t',
    );
    expect((await bench.open(text)).current().names).toEqual(['inet']);
  });

  test('ends the start with every problem of the first document', async () => {
    const start = bench.open('version: 1\nzones: [{ name: A, prefixes: [10.0.0.1/24] }]\n');
    await expect(start).rejects.toMatchObject({ code: 'zone/invalid' });
    await expect(start).rejects.toThrow(
      /zones\[0\]\.name: must be a DNS label[^]*zones\[0\]\.prefixes\[0\]: "10\.0\.0\.1\/24"/,
    );
  });

  test('ends the start when the file is not there', async () => {
    await expect(bench.open(undefined)).rejects.toMatchObject({ code: 'zone/invalid' });
  });

  test.each([
    ['a syntax error', 'version: 1\nzones: [\n', /at line/],
    ['a key given twice', 'version: 1\nversion: 1\n', /Map keys must be unique at line 2/],
    ['two documents', `${good('a')}---\n${good('b')}`, /multiple documents/],
    ['an empty file', '', /the document: must be a map of fields/],
    [
      'aliases without end',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'.replace(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`,
      /alias/,
    ],
  ])('ends the start on %s', async (_what, text, expected) => {
    await expect(bench.open(text)).rejects.toThrow(expected);
  });

  test('takes a changed file over after the event has settled', async () => {
    const zones = await bench.open(good('before'));
    await writeFile(bench.path, good('after'));
    const looked = bench.looked();
    bench.event();
    bench.event();
    bench.clock.advance(SETTLE_MS);
    expect(await looked).toBe('ok');
    expect(zones.current().names).toEqual(['after']);
    expect(bench.counted).toEqual(['ok']);
  });

  test('tells each valid change to those who listen, and nothing after they stopped', async () => {
    const source = await bench.open(good('a'));
    let told = 0;
    const stop = source.onChange(() => (told += 1));
    for (const text of [good('b'), 'version: 2\n', good('c')]) {
      await writeFile(bench.path, text);
      await source.reload();
    }
    stop();
    await writeFile(bench.path, good('d'));
    await source.reload();
    expect(told).toBe(2);
  });

  test('finds a change by polling where no event comes, again and again', async () => {
    const zones = await bench.open(good('a'));
    for (const name of ['b', 'c']) {
      await writeFile(bench.path, good(name));
      const looked = bench.looked();
      bench.clock.advance(ZONE_FILE_POLL_MS);
      expect(await looked).toBe('ok');
      await zones.reload();
      expect(zones.current().names).toEqual([name]);
    }
  });

  test('keeps the last good document and says each problem once, with its path', async () => {
    const zones = await bench.open(good('inet'));
    await writeFile(bench.path, 'version: 1\nzones: [{ name: inet, prefixes: [10.0.0.0/24], exclude: [] }]\n');
    expect(await zones.reload()).toBe('invalid');
    expect(await zones.reload()).toBe('unchanged');
    expect(zones.current().names).toEqual(['inet']);
    expect(bench.counted).toEqual(['invalid']);
    expect(bench.logger.lines).toEqual([
      {
        level: 'error',
        message: expect.stringContaining('the last good zones stay') as string,
        fields: expect.objectContaining({
          file: bench.path,
          code: 'zone/invalid',
          field: 'zones[0].exclude',
        }) as LogFields,
      },
    ]);
  });

  test('keeps the last good document while the file is away, and takes it back', async () => {
    const zones = await bench.open(good('inet'));
    await rm(bench.path);
    expect(await zones.reload()).toBe('unreadable');
    expect(await zones.reload()).toBe('unchanged');
    expect(zones.current().names).toEqual(['inet']);
    await writeFile(bench.path, good('inet'));
    expect(await zones.reload()).toBe('ok');
    expect(bench.counted).toEqual(['unreadable', 'ok']);
  });

  test('writes and counts nothing for a file that did not change', async () => {
    const zones = await bench.open(good('inet'));
    expect(await zones.reload()).toBe('unchanged');
    expect(bench.logger.lines).toEqual([]);
    expect(bench.counted).toEqual([]);
  });

  test('sees the link swap of a mounted ConfigMap by events of the system', async () => {
    bench.folder = await mkdtemp(join(tmpdir(), 'zone-file-'));
    for (const [version, name] of [
      ['v1', 'before'],
      ['v2', 'after'],
    ] as const) {
      await mkdir(join(bench.folder, version));
      await writeFile(join(bench.folder, version, 'zones.yaml'), good(name));
    }
    await symlink('v1', join(bench.folder, '..data'));
    await symlink(join('..data', 'zones.yaml'), bench.path);
    const zones = await bench.reopen({ realEvents: true });
    const scheduled = new Promise<void>((resolve) => {
      const { clock } = bench;
      const original = clock.after.bind(clock);
      clock.after = (ms, run) => {
        resolve();
        return original(ms, run);
      };
    });
    await symlink('v2', join(bench.folder, '..data_tmp'));
    await rename(join(bench.folder, '..data_tmp'), join(bench.folder, '..data'));
    await scheduled;
    const looked = bench.looked();
    bench.clock.advance(SETTLE_MS);
    await looked;
    await zones.reload();
    expect(zones.current().names).toEqual(['after']);
  });

  test('leaves no timer and looks no more after close', async () => {
    const zones = await bench.open(good('before'));
    bench.event();
    await zones.close();
    expect(bench.clock.waiting).toBe(0);
    await writeFile(bench.path, good('after'));
    expect(await zones.reload()).toBe('unchanged');
    expect(zones.current().names).toEqual(['before']);
  });

  test('ends the start with the objections to the first document', async () => {
    bench.objections = () => Promise.resolve([{ code: 'zone/invalid', message: 'not these zones' }]);
    await expect(bench.open(good('a'))).rejects.toMatchObject({
      code: 'zone/invalid',
      message: expect.stringContaining('not these zones') as string,
    });
  });

  test('keeps the last zones while there are objections, tells them once, and takes the same text when they end', async () => {
    const source = await bench.open(good('a'));
    let answer: () => ReturnType<Bench['objections']> = () =>
      Promise.resolve([{ code: 'zone/invalid', message: 'not yet' }]);
    const asked: string[] = [];
    bench.objections = (next, before) => {
      asked.push(`${before?.names.join() ?? ''} to ${next.names.join()}`);
      return answer();
    };
    await writeFile(bench.path, good('b'));
    expect([await source.reload(), await source.reload(), source.current().names]).toEqual([
      'invalid',
      'unchanged',
      ['a'],
    ]);
    expect(bench.logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['problem'])).toEqual([
      'not yet',
    ]);
    answer = () => Promise.reject(new TypeError('no store'));
    expect([await source.reload(), source.current().names]).toEqual(['unchanged', ['a']]);
    answer = () => Promise.resolve([]);
    expect([await source.reload(), source.current().names, await source.reload()]).toEqual(['ok', ['b'], 'unchanged']);
    expect(new Set(asked)).toEqual(new Set(['a to b']));
    expect(bench.counted).toEqual(['invalid', 'ok']);
  });
});
