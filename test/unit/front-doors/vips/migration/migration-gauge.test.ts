import { MigrationGauge } from '../../../../../operator/front-doors/vips/migration/migration-gauge';
import { readVirtualIp, VIRTUAL_IP_STATES } from '../../../../../operator/contract/kinds/virtual-ip';
import { RecordedMeter } from '../../../../support/recorded-telemetry';

const view = (state: string, order?: string) =>
  readVirtualIp({
    metadata: {
      name: 'v',
      namespace: 'a',
      annotations: order === undefined ? {} : { 'virtualips.paas.org/migrate': order },
    },
    spec: { service: 's' },
    status: { state },
  });

test('counts VirtualIPs by how far they are, while this process leads', () => {
  const meter = new RecordedMeter();
  const told = () => new Map(meter.of('vip_migrations').map(({ labels, value }) => [String(labels['stage']), value]));
  const counts = (...[waiting, running, halted, migrated]: readonly [number, number, number, number]) =>
    new Map(Object.entries({ waiting, running, halted, migrated }));
  const gauge = new MigrationGauge(meter);
  gauge.follow(undefined, view('Valid'));
  gauge.follow(undefined, view('Valid', 'dry-run'));
  expect(told()).toEqual(new Map());
  gauge.start();
  expect(told()).toEqual(counts(2, 0, 0, 0));
  gauge.follow(view('Valid'), view(VIRTUAL_IP_STATES.preparing, ''));
  gauge.follow(undefined, view(VIRTUAL_IP_STATES.error, 'rollback'));
  expect(told()).toEqual(counts(1, 1, 1, 0));
  gauge.follow(view(VIRTUAL_IP_STATES.preparing, ''), view(VIRTUAL_IP_STATES.migrated, ''));
  gauge.follow(view(VIRTUAL_IP_STATES.error, 'rollback'), undefined);
  expect(told()).toEqual(counts(1, 0, 0, 1));
  gauge.end();
  expect(told()).toEqual(new Map());
});
