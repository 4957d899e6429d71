import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  RENEW_BEFORE_DAYS,
  SERVING_DAYS,
  issueServingPair,
  makeAuthority,
  openSelfSigned,
} from '../../../operator/server/self-signed';
import { checkPair, type CertificatePair } from '../../../operator/server/serving-certificate';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const DAY_MS = 86_400_000;
const NAMES = ['ipam-webhook-service.ipam-system.svc'];

const toolsOf = () => ({ clock: new ManualClock(), logger: new RecordedLogger(), meter: new RecordedMeter() });

describe('issueServingPair', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  let authority: X509Certificate;
  let pair: CertificatePair;
  let leaf: X509Certificate;

  beforeAll(async () => {
    const made = await makeAuthority(nowMs);
    authority = new X509Certificate(made.certificate);
    pair = await issueServingPair(made, { names: NAMES, nowMs });
    leaf = new X509Certificate(pair.certificate);
  });

  test('gives a pair that can serve', () => {
    expect(checkPair(pair).ok).toBe(true);
  });

  test('is signed by the CA, and only the CA is one', () => {
    expect(leaf.verify(authority.publicKey) && leaf.checkIssued(authority)).toBe(true);
    expect([authority.ca, leaf.ca]).toEqual([true, false]);
  });

  test.each([...NAMES, 'localhost'])('is valid for the name %s', (name) => {
    expect(leaf.checkHost(name)).toBe(name);
  });

  test.each(['127.0.0.1', '::1'])('is valid for the address %s', (address) => {
    expect(leaf.checkIP(address)).toBe(address);
  });

  test('is for servers only, on the curve P-256', () => {
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect([authority, leaf].map(({ publicKey }) => publicKey.asymmetricKeyDetails?.namedCurve)).toEqual([
      'prime256v1',
      'prime256v1',
    ]);
  });

  test('begins a little in the past, for clocks that are behind, and ends after 90 days', () => {
    expect(leaf.validFromDate.getTime()).toBeLessThan(nowMs);
    expect(leaf.validToDate.getTime()).toBe(nowMs + SERVING_DAYS * DAY_MS);
  });

  test('never gives the same serial number twice', async () => {
    const made = await makeAuthority(nowMs);
    const pairs = await Promise.all([1, 2, 3].map(() => issueServingPair(made, { names: NAMES, nowMs })));
    expect(new Set(pairs.map(({ certificate }) => new X509Certificate(certificate).serialNumber)).size).toBe(3);
  });
});

describe('openSelfSigned', () => {
  test('reports no problem while the certificate is valid, and its end afterwards', async () => {
    const around = toolsOf();
    const source = await openSelfSigned({ ...around, names: NAMES });
    expect(source.problem()).toBeUndefined();
    source.close();
    around.clock.advance((SERVING_DAYS + 1) * DAY_MS);
    expect(source.problem()).toContain('ended at 2026-04-01');
  });

  test('leaves no timer behind', async () => {
    const around = toolsOf();
    (await openSelfSigned({ ...around, names: NAMES })).close();
    expect(around.clock.waiting).toBe(0);
  });

  describe('with a folder', () => {
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'ipam-ca-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    const authorityFile = () => join(folder, 'ca.crt');
    const authority = () => readFileSync(authorityFile(), 'utf8');

    test('writes the CA certificate where it is told, and no key', async () => {
      const source = await openSelfSigned({ ...toolsOf(), names: NAMES, authorityFile: authorityFile() });
      source.close();
      expect(readdirSync(folder)).toEqual(['ca.crt']);
      expect(new X509Certificate(source.current().certificate).verify(new X509Certificate(authority()).publicKey)).toBe(
        true,
      );
      expect(authority()).not.toContain('PRIVATE KEY');
    });

    test('renews the serving certificate before its end, under the same CA', async () => {
      const around = toolsOf();
      const source = await openSelfSigned({ ...around, names: NAMES, authorityFile: authorityFile() });
      const before = source.current();
      const changed = new Promise<CertificatePair>((resolve) => source.onChange(resolve));
      around.clock.advance((SERVING_DAYS - RENEW_BEFORE_DAYS) * DAY_MS + 3_600_000);
      const after = await changed;
      source.close();
      expect(new X509Certificate(after.certificate).serialNumber).not.toBe(
        new X509Certificate(before.certificate).serialNumber,
      );
      expect(new X509Certificate(after.certificate).verify(new X509Certificate(authority()).publicKey)).toBe(true);
      expect(around.meter.of('certificate_reloads_total')).toEqual([
        expect.objectContaining({ labels: { result: 'renewed' } }),
      ]);
    });
  });
});
