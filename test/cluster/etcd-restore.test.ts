import type { IpamOperatorProps } from '../../constructs';
import { IPAM } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { eventually } from './support/eventually';
import { ingressOf } from './support/services';
import { useInstallation } from './support/use-installation';

const PROPS: Partial<IpamOperatorProps> = {
  zones: [{ name: 'calm', prefixes: ['10.78.0.0/24'], quarantineSeconds: 1 }],
};
const ZONE = { annotations: { [IPAM.zone]: 'calm' } };
/** A restart of etcd and API server, reconnects with pauses, and a busy machine. */
const KNOWN_MS = 120_000;

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: PROPS,
  prepare: () => scene.open(),
});
const scene = sceneIn('a');

const addressOf = ({ metadata }: KubeObject): string => metadata.annotations?.[IPAM.addresses] ?? '';

/** Creates a Service as a tool does that tries again while it is refused. */
function created(name: string): Promise<KubeObject> {
  return eventually(() => scene.create(name, ZONE), KNOWN_MS);
}

test('FU-07 a Service that a restored etcd brings back keeps its address, which is given to no other one', async () => {
  await scene.create('back', ZONE);
  const before = ingressOf(await scene.ready('back'));
  await plane().backUpStore();
  await scene.remove('back');
  await scene.holds('calm', 0, KNOWN_MS);
  // the restored server has to lie behind what the operator has seen
  for (let i = 0; i < 20; i += 1) await plane().kubectl('create', 'namespace', `later-${i}`);
  await created('gone');
  await scene.remove('gone');
  await scene.holds('calm', 0, KNOWN_MS);
  await plane().restoreStore();
  const thief = await created('thief');

  expect(ingressOf(await scene.get('back'))).toEqual(before);
  expect(before).not.toContain(addressOf(thief));
  await scene.holds('calm', 2, KNOWN_MS);
  expect(operator().log()).toContain('the API server is older than what was seen of it');
  expect(addressOf(await scene.get('back'))).toBe(before.join());
}, 600_000);
