import { MOST_SHARED_PORTS } from '../../../../../operator/contract/sharing-terms';
import { refusedWith } from '../../../../support/memory-api-client';
import { VipsDoorWorld } from '../../../../support/vips-door-world';

const SHARED = { 'paas.org/sharing-key': 'k' };
const LONG = 'a'.repeat(60);

describe('one Service that anyone may write', () => {
  const worlds: VipsDoorWorld[] = [];
  const world = (): VipsDoorWorld => {
    const made = new VipsDoorWorld();
    worlds.push(made);
    made.namespace('test');
    made.group('g', { segment: '192.0.2.0/29' });
    return made;
  };
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map((each) => each.close()));
  });

  test.each([101, MOST_SHARED_PORTS, MOST_SHARED_PORTS + 1])(
    'gets an address with a sharing key and %i ports',
    async (ports) => {
      const made = world();
      const key = made.service('many', { annotations: SHARED, ports });
      await made.open();
      await made.controller.compare();
      await made.controller.reconcile(key);
      expect(made.condition('many')).toMatchObject({ status: 'True' });
      expect(made.ip('192.0.2.0')).toMatchObject({ holders: [{ name: 'many' }] });
    },
  );

  test('stops no comparison with a key and many ports, nor with a long selector', async () => {
    const made = world();
    made.service('many', { annotations: SHARED, ports: MOST_SHARED_PORTS + 1, shows: '192.0.2.1' });
    made.service('web', {
      annotations: { 'paas.org/sharing-key': `test,${LONG},${LONG},${LONG}/k` },
      shows: '192.0.2.2',
    });
    const other = made.service('other');
    await made.open();
    await made.controller.compare();
    await made.controller.reconcile(other);
    expect(made.ip('192.0.2.1')).toMatchObject({ holders: [{ name: 'many' }] });
    // the key is kept as it is, since it lists namespaces
    expect(made.ip('192.0.2.2')).toMatchObject({ holders: [{ sharing: { key: `test,${LONG},${LONG},${LONG}/k` } }] });
    expect(made.condition('other')).toMatchObject({ status: 'True' });
  });

  test('is told and passed over where its address cannot be put on record, and nothing gives that address', async () => {
    const made = world();
    made.service('refused', { shows: '192.0.2.0' });
    const other = made.service('other');
    made.server.intercept = ({ method, body }) =>
      method === 'POST' && JSON.stringify(body).includes('192.0.2.0') ? refusedWith(422, 'Invalid') : undefined;
    await made.open();
    await made.controller.compare();
    await made.controller.reconcile(other);
    expect(made.ip('192.0.2.0')).toBeUndefined();
    expect(made.ip('192.0.2.1')).toMatchObject({ holders: [{ name: 'other' }] });
    expect(made.logger.lines.filter(({ level }) => level === 'warn')).toContainEqual(
      expect.objectContaining({ message: 'what a Service shows was not put on record and is tried again' }),
    );
  });
});
