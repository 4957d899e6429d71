import { findings } from '../../../../operator/cli/output/findings';

/** Findings about metrics, as `verdict check: finding`. */
const metricFindings = (...lines: string[]): readonly string[] =>
  findings({ zones: [], clusters: [], reserved: [], nowMs: 0, metrics: lines.join('\n') })
    .filter(({ check }) => !['readiness', 'zones', 'clusters'].includes(check))
    .map(({ verdict, check, finding }) => `${verdict} ${check}: ${finding}`);

test('clusters of a record that keeps no reports are not called well', () => {
  const found = findings({ zones: [], reserved: [], nowMs: 0 });
  expect(found.find(({ check }) => check === 'clusters')).toEqual({
    verdict: 'watch',
    check: 'clusters',
    finding: 'not looked at, since the record keeps no reports of them',
  });
});

describe('findings from metrics', () => {
  test('FU-14 tell of Services that are not announced, and not of those that are about to be', () => {
    expect(
      metricFindings(
        'ipam_services_unannounced{zone="inet",reason="Announcing"} 3',
        'ipam_services_unannounced{zone="inet",reason="NotAnnounced"} 2',
        'ipam_services_unannounced{zone="lan",reason="NoAnnouncer"} 0',
      ),
    ).toEqual(['bad Services not announced: 2 {zone="inet",reason="NotAnnounced"}']);
  });

  test('FU-14 tell of MetalLB pools that differ from their zone; a narrower one harms', () => {
    expect(
      metricFindings(
        'ipam_zone_pool_mismatch{zone="a",kind="narrower"} 1',
        'ipam_zone_pool_mismatch{zone="b",kind="missing"} 1',
        'ipam_zone_pool_mismatch{zone="c",kind="wider"} 1',
      ),
    ).toEqual([
      'bad zone and MetalLB pool: 1 {zone="a",kind="narrower"}',
      'watch zone and MetalLB pool: 1 {zone="b",kind="missing"}',
      'watch zone and MetalLB pool: 1 {zone="c",kind="wider"}',
    ]);
  });

  test('say so where nothing is wrong', () => {
    expect(metricFindings('ipam_services_waiting{reason="PoolExhausted"} 0')).toEqual(['ok metrics: no Service waits']);
  });
});
