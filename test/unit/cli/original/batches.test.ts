import { addressOf } from '../../../../operator/addressing/address';
import { batchesOf } from '../../../../operator/cli/original/batches';
import type { Converted } from '../../../../operator/cli/original/convert';

const LIMIT_BYTES = 16 * 1024 * 1024;

function converted(line: number, services: number): Converted {
  const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
  const service = { serviceName: 's'.repeat(60), namespaceUid: 'n'.repeat(36), clusterUid: 'c'.repeat(36), options };
  const claim = { zone: 'inet', address: '10.1.0.1', secret: 'a-secret', services: Array(services).fill(service) };
  return { line, id: '', claim, address: addressOf('10.1.0.1'), notes: [] };
}

describe('batchesOf', () => {
  test('keeps the order, 250 addresses at once', () => {
    const all = Array.from({ length: 600 }, (_, line) => converted(line, 1));
    const batches = batchesOf(all);

    expect(batches.map(({ length }) => length)).toEqual([250, 250, 100]);
    expect(batches.flat()).toEqual(all);
  });

  test('divides addresses of many services so that every call fits', () => {
    const all = Array.from({ length: 120 }, (_, line) => converted(line, 1_000));
    const batches = batchesOf(all);

    expect(batches.flat()).toEqual(all);
    for (const batch of batches)
      expect(Buffer.byteLength(JSON.stringify(batch.map(({ claim }) => claim)))).toBeLessThan(LIMIT_BYTES);
  });

  test('makes no call for nothing', () => {
    expect(batchesOf([])).toEqual([]);
  });
});
