import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE_POLL_MS, openCertificateFolder } from '../../../../operator/backends/files/certificate-folder';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import type { CertificatePair, CertificateSource } from '../../../../operator/ports/certificates';
import type { Clock } from '../../../../operator/ports/clock';
import { issueServingPair, makeAuthority, type CertificateAuthority } from '../../../../operator/server/self-signed';
import { checkPair, datesProblem } from '../../../../operator/server/serving-certificate';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';

const serialOf = (pair: CertificatePair): string => new X509Certificate(pair.certificate).serialNumber;

describe('openCertificateFolder', () => {
  let authority: CertificateAuthority;
  let first: CertificatePair;
  let second: CertificatePair;
  let folder: string;
  let logger: RecordedLogger;
  let meter: RecordedMeter;
  let source: CertificateSource | undefined;

  beforeAll(async () => {
    authority = await makeAuthority(Date.now());
    const names = ['ipam.test'];
    [first, second] = await Promise.all([
      issueServingPair(authority, { names, nowMs: Date.now() }),
      issueServingPair(authority, { names, nowMs: Date.now() }),
    ]);
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipam-cert-'));
    logger = new RecordedLogger();
    meter = new RecordedMeter();
  });

  afterEach(() => {
    source?.close();
    source = undefined;
    rmSync(folder, { recursive: true });
  });

  const write = (certificate: string, key: string): void => {
    writeFileSync(join(folder, 'tls.key'), key);
    writeFileSync(join(folder, 'tls.crt'), certificate);
  };
  const open = async (clock: Clock): Promise<CertificateSource> => {
    source = await openCertificateFolder({
      folder,
      certificateName: 'tls.crt',
      keyName: 'tls.key',
      checkPair,
      datesProblem,
      clock,
      logger,
      meter,
    });
    return source;
  };
  const nextChange = (of: CertificateSource): Promise<CertificatePair> =>
    new Promise((resolve) => of.onChange(resolve));

  test('reads the pair at start', async () => {
    write(first.certificate, first.key);
    expect((await open(new ManualClock())).current()).toEqual(first);
  });

  test('takes a new pair by polling alone', async () => {
    write(first.certificate, first.key);
    const clock = new ManualClock();
    const opened = await open(clock);
    const changed = nextChange(opened);
    write(second.certificate, second.key);
    clock.advance(CERTIFICATE_POLL_MS);
    expect(serialOf(await changed)).toBe(serialOf(second));
    expect(opened.current()).toEqual(second);
    expect(meter.of('certificate_reloads_total')).toContainEqual(
      expect.objectContaining({ labels: { result: 'loaded' } }),
    );
  });

  test('takes a new pair soon after it is written', async () => {
    write(first.certificate, first.key);
    const opened = await open(SYSTEM_CLOCK);
    const changed = nextChange(opened);
    write(second.certificate, second.key);
    expect(serialOf(await changed)).toBe(serialOf(second));
  });

  test('WH-11 takes a new pair when the symlink of a mounted Secret is swapped', async () => {
    const revision = (name: string, pair: CertificatePair): void => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'tls.crt'), pair.certificate);
      writeFileSync(join(folder, name, 'tls.key'), pair.key);
    };
    revision('..2026_01', first);
    symlinkSync('..2026_01', join(folder, '..data'));
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(folder, file));
    const opened = await open(SYSTEM_CLOCK);
    const changed = nextChange(opened);
    revision('..2026_02', second);
    symlinkSync('..2026_02', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    expect(serialOf(await changed)).toBe(serialOf(second));
  });

  test.each<[string, () => [string, string], string]>([
    [
      'a certificate without its key',
      () => [second.certificate, first.key],
      'the private key belongs to another certificate',
    ],
    [
      'half a certificate',
      () => [second.certificate.slice(0, 300), second.key],
      'certificate or key is not complete PEM',
    ],
    ['half a key', () => [second.certificate, second.key.slice(0, 60)], 'certificate or key is not complete PEM'],
    ['an empty certificate', () => ['', second.key], 'certificate or key is not complete PEM'],
  ])('WH-11 keeps the old pair for %s, then takes the whole one', async (_name, broken, problem) => {
    write(first.certificate, first.key);
    const clock = new ManualClock();
    const opened = await open(clock);
    write(...broken());
    clock.advance(CERTIFICATE_POLL_MS);
    const line = await logger.heard('not usable');
    expect(line.fields['problem']).toContain(problem);
    expect(opened.current()).toEqual(first);
    await untilWaiting(clock);
    expect(meter.of('certificate_reloads_total')).toContainEqual(
      expect.objectContaining({ labels: { result: 'kept_old' } }),
    );
    const changed = nextChange(opened);
    write(second.certificate, second.key);
    clock.advance(CERTIFICATE_POLL_MS);
    expect(serialOf(await changed)).toBe(serialOf(second));
  });

  test('keeps the old pair while the files are gone, and says so once', async () => {
    write(first.certificate, first.key);
    const clock = new ManualClock();
    const opened = await open(clock);
    rmSync(join(folder, 'tls.crt'));
    for (let round = 0; round < 3; round++) {
      await untilWaiting(clock);
      clock.advance(CERTIFICATE_POLL_MS);
    }
    await untilWaiting(clock);
    expect(opened.current()).toEqual(first);
    expect(logger.lines.filter(({ message }) => message.includes('not usable'))).toHaveLength(1);
    expect(logger.lines[0]?.fields['problem']).toContain('tls.crt" cannot be read (ENOENT)');
  });

  test('refuses to start without files', async () => {
    await expect(open(new ManualClock())).rejects.toMatchObject({ code: 'certificate/invalid' });
  });

  test('refuses to start with a pair that does not match, and never quotes the key', async () => {
    write(first.certificate, second.key);
    const error: unknown = await open(new ManualClock()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'certificate/invalid' });
    expect((error as Error).message).toBe(
      `"tls.crt" and "tls.key" in "${folder}" cannot be used: the private key belongs to another certificate`,
    );
  });

  test('reports a certificate that is out of its time', async () => {
    write(first.certificate, first.key);
    const opened = await open(new ManualClock(Date.now() + 91 * 86_400_000));
    expect(opened.problem()).toContain('the serving certificate ended at');
  });

  test('leaves no timer behind', async () => {
    write(first.certificate, first.key);
    const clock = new ManualClock();
    (await open(clock)).close();
    expect(clock.waiting).toBe(0);
  });

  /** The next poll is planned only when the last reload has read its files. */
  async function untilWaiting(clock: ManualClock): Promise<void> {
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  }
});
