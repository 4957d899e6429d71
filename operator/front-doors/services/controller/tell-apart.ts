import { IPAM, METALLB } from '../../../contract/group';
import { readService, type ServiceView } from '../../../contract/service';
import { sharingProblem } from '../../../rules/sharing';
import { sharingKeyOf } from '../wanted/review';
import type { ControllerContext } from './controller-parts';
import type { Known } from './known-services';
import type { Serving } from './serve-stored';
import type { StoredObject } from './stored-object';

/**
 * Tells in an Event why a new Service with a sharing key has an address of its own, where another one of its namespace and zone has the
 * same key. Without a word for one that named its address.
 *
 * @param context - of the controller
 * @param work - the stored object and what is remembered of it
 * @param serving - what it has
 */
export async function tellApart(
  { parts }: ControllerContext,
  { object, known }: { readonly object: StoredObject; readonly known: Known },
  { grants, zone }: Serving & { readonly ok: true },
): Promise<void> {
  const { view } = object;
  const key = sharingKeyOf(view);
  const isChosen = grants.every(
    ({ writtenKeys, sharedWith }) => writtenKeys.includes(IPAM.addresses) && sharedWith.length === 0,
  );
  if (key === '' || !isChosen) return;
  for (const raw of parts.feed.list()) {
    const other = readService(raw);
    if (other === undefined || !isSharer(other, view, { key, zone })) continue;
    const place = { clusterUid: '', namespaceUid: '', namespace: view.namespace };
    const [mine, theirs] = [view, other].map((each) => ({
      label: `${each.namespace}/${each.name}`,
      place,
      terms: { ...each, key: sharingKeyOf(each) },
    }));
    const problem = mine === undefined || theirs === undefined ? undefined : sharingProblem(mine, theirs);
    const why = problem?.text ?? `"${other.namespace}/${other.name}" came at the same time, or has another secret`;
    const message = `has an address of its own although "${other.namespace}/${other.name}" has the same sharing key: ${why}`;
    await parts.writer.event(known.key, { type: 'Normal', reason: 'AddressNotShared', message });
    return;
  }
}

function isSharer(
  other: ServiceView,
  view: ServiceView,
  { key, zone }: { readonly key: string; readonly zone: string },
): boolean {
  if (other.namespace !== view.namespace || other.uid === view.uid || sharingKeyOf(other) !== key) return false;
  return other.annotations[METALLB.pool] === zone && !other.dying;
}
