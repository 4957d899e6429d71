import {
  FOREIGN_LOAD_BALANCERS,
  type ForeignKeys,
  type ForeignLoadBalancer,
} from '../../contract/foreign-load-balancers';
import { VIP_KEYS } from '../../contract/paas';
import { LOAD_BALANCER_IP, type ServiceView } from '../../contract/service';
import { annotationPath, type Annotations } from '../../contract/service-annotations';

/** Wish in one field of a Service. */
export interface WishField {
  /** Its path from the root of the object. */
  readonly field: string;
  readonly text: string;
  /** True for an annotation of another load balancer. */
  readonly isForeign: boolean;
}

/** Everything that a Service asks for, field by field; our own fields come first, and none is empty. */
export interface WishFields {
  readonly addresses: readonly WishField[];
  readonly groups: readonly WishField[];
  readonly sharingKeys: readonly WishField[];
}

/**
 * Finds the fields by which a Service asks the VIPs door for something.
 *
 * @param service - as it is stored
 * @param foreign - other load balancers whose annotations count as well
 * @returns the fields that are not empty
 */
export function wishFields(
  { annotations, loadBalancerIP = '', namespace }: Pick<ServiceView, 'annotations' | 'loadBalancerIP' | 'namespace'>,
  foreign: readonly ForeignLoadBalancer[],
): WishFields {
  const systems: readonly ForeignKeys[] = foreign.map((name) => FOREIGN_LOAD_BALANCERS[name]);
  const fields = (own: string, keysOf: (keys: ForeignKeys) => readonly string[]): readonly WishField[] => [
    ...fieldsAt(annotations, [own], false),
    ...fieldsAt(annotations, systems.flatMap(keysOf), true),
  ];
  const spec = { field: LOAD_BALANCER_IP, text: loadBalancerIP.trim(), isForeign: false };
  return {
    addresses: [...(spec.text === '' ? [] : [spec]), ...fields(VIP_KEYS.addresses, ({ addresses }) => addresses)],
    groups: fields(VIP_KEYS.group, ({ pool }) => pool),
    sharingKeys: [
      ...fieldsAt(annotations, [VIP_KEYS.sharingKey], false),
      ...systems.flatMap((keys) => sharingFields(annotations, keys, namespace)),
    ],
  };
}

function fieldsAt(annotations: Annotations, keys: readonly string[], isForeign: boolean): readonly WishField[] {
  return keys.flatMap((key) => {
    const text = (annotations[key] ?? '').trim();
    return text === '' ? [] : [{ field: annotationPath(key), text, isForeign }];
  });
}

// Other namespaces are named in the key itself here, so that all Services of an address agree on them.
function sharingFields(annotations: Annotations, keys: ForeignKeys, namespace: string): readonly WishField[] {
  const [across] = fieldsAt(annotations, keys.sharingNamespaces ?? [], true);
  const listed = (across?.text ?? '').split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
  const namespaces = listed.includes('*') ? ['*'] : [...new Set([namespace, ...listed])].sort();
  return fieldsAt(annotations, keys.sharing, true).map((each) =>
    listed.length === 0 ? each : { ...each, text: `${namespaces.join(',')}/${each.text}` },
  );
}
