import { exposedName, METRICS, type MetricName } from '../../../operator/ports/meter';
import { createMeter } from '../../../operator/telemetry/prometheus-meter';

const textOf = async (meter: ReturnType<typeof createMeter>): Promise<string> => (await meter.exposition()).text;

describe('createMeter', () => {
  test('exposes every metric of the port, by the prefix ipam_ but for those of the older egress operator', async () => {
    const text = await textOf(createMeter({ processMetrics: false }));
    const names = (Object.keys(METRICS) as MetricName[]).map(exposedName);
    expect(names.filter((name) => !text.includes(`# HELP ${name} `))).toEqual([]);
    expect(names.filter((name) => !/^(?:ipam|egressip)_/u.test(name))).toEqual([]);
  });

  test('counts by labels', async () => {
    const meter = createMeter({ processMetrics: false });
    meter.count('refusals_total', { reason: 'OutsideZone' });
    meter.count('refusals_total', { reason: 'OutsideZone' }, 2);
    expect(await textOf(meter)).toContain('ipam_refusals_total{reason="OutsideZone"} 3');
  });

  test('puts durations into buckets of seconds and sizes into buckets of sizes', async () => {
    const meter = createMeter({ processMetrics: false });
    meter.observe('admission_duration_seconds', 0.003, { path: '/mutate--v1-service' });
    meter.observe('store_group_size', 40);
    const text = await textOf(meter);
    expect(text).toContain('ipam_admission_duration_seconds_bucket{le="0.005",path="/mutate--v1-service"} 1');
    expect(text).toContain('ipam_store_group_size_bucket{le="50"} 1');
  });

  test('sets a gauge', async () => {
    const meter = createMeter({ processMetrics: false });
    meter.set('zone_addresses', 7, { zone: 'inet', family: 'ipv4', state: 'held' });
    expect(await textOf(meter)).toContain('ipam_zone_addresses{zone="inet",family="ipv4",state="held"} 7');
  });

  test('reads a followed gauge whenever the numbers are read', async () => {
    const meter = createMeter({ processMetrics: false });
    let bytes = 7;
    meter.follow('request_body_bytes', () => bytes, { listener: 'webhook' });
    expect(await textOf(meter)).toContain('ipam_request_body_bytes{listener="webhook"} 7');
    bytes = 0;
    expect(await textOf(meter)).toContain('ipam_request_body_bytes{listener="webhook"} 0');
  });

  test('counts values beyond the bound as "other", so that no caller fills the memory', async () => {
    const meter = createMeter({ processMetrics: false });
    for (let i = 0; i < 300; i++) meter.count('refusals_total', { reason: `r${i}` });
    const text = await textOf(meter);
    expect(text).toContain('ipam_refusals_total{reason="other"} 44');
    expect(text.match(/^ipam_refusals_total\{/gm)).toHaveLength(257);
  });

  test('leaves out labels that the metric does not have', async () => {
    const meter = createMeter({ processMetrics: false });
    meter.count('refusals_total', { reason: 'a', secret: 'correct-horse' });
    expect(await textOf(meter)).not.toContain('correct-horse');
  });

  test('exposes the process by the names that dashboards know', async () => {
    expect(await textOf(createMeter())).toContain('process_resident_memory_bytes');
  });
});
