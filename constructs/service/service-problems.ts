import type { Family } from '../../operator/addressing/address';
import { IPAM } from '../../operator/contract/group';
import { annotationPath, hasServiceWish } from '../../operator/contract/service-annotations';
import type { ZoneCatalogue } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import { impliedZone } from '../../operator/rules/named-zone';
import { planFamilies } from '../../operator/rules/families';
import type { CollectedWishes } from '../../operator/rules/wishes';
import { noZone, zoneWishProblems } from '../../operator/rules/zone-wish';
import { idProblems } from '../props-kit/id-as-name';
import { DNS_LABEL } from '../props-kit/kubernetes-values';
import { lateBoundProblems } from '../props-kit/placeholder';
import type { ReadProps } from '../props-kit/rule';
import { annotationProblems } from './annotations';
import { generatedSecretName, generatedSecretProblems } from './generated-secret';
import type { IpamServiceProps } from './ipam-service-props';
import { withJoined } from './joined';
import { podLabelProblems } from './pod-labels';
import { portProblems } from './port-problems';
import { familySpec } from './service-spec';
import { excludedNamespaceProblems, isOfOtherClass, switchedOffProblems } from './unserved';
import { wishesOf } from './wishes-of';
import { familyNumber } from './family-number';

/** Every kind of cluster there is. */
const ANY_CLUSTER: readonly (readonly Family[])[] = [[4, 6], [6, 4], [4], [6]];

/** Props that the checks read, so that none of them can be known after synth only. */
const PARSED = [
  'zone',
  'addresses',
  'ipFamily',
  'ipFamilies',
  'ipFamilyPolicy',
  'retentionPeriodDays',
  'denyExternalCleanup',
  'clusterFamilies',
] as const satisfies readonly (keyof IpamServiceProps)[];

/** Props that name something, and that no check compares with anything that synth knows. */
const NAMES_ONLY = ['secret', 'allowLocalSharedIp'] as const satisfies readonly (keyof IpamServiceProps)[];
const ANY_NAME = 'known-after-synth';

/** One Service as the checks look at it. */
interface Facts {
  readonly props: IpamServiceProps;
  readonly wishes: CollectedWishes;
  readonly zones: ZoneCatalogue | undefined;
}

function zoneProblems({ wishes, zones }: Facts, families: readonly Family[]): readonly Refusal[] {
  if (zones === undefined) return [];
  const zone = wishes.zone ?? impliedZone(wishes.addresses, zones);
  if (zone === undefined) return [noZone(zones)];
  const field = wishes.zoneField ?? annotationPath(IPAM.zone);
  const { addresses, addressFields } = wishes;
  const problems = zoneWishProblems(zones, { zone, field, families, addresses, addressFields });
  // a Service that has its address stays in a draining zone, and synth cannot tell whether it has
  return problems.filter(({ code }) => code !== 'zone/draining');
}

// What is wrong with families and zone in a cluster of these families.
function problemsIn(clusterFamilies: readonly Family[], facts: Facts): readonly Refusal[] {
  const { wishes, props } = facts;
  const { ipFamilies = [], ipFamilyPolicy } = familySpec(props);
  const plan = planFamilies({
    spec: {
      ipFamilies: ipFamilies.map(familyNumber),
      clusterIpFamilies: [],
      ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
    },
    addresses: wishes.addresses,
    addressFields: wishes.addressFields,
    clusterFamilies,
    ...(wishes.ipFamily === undefined ? {} : { wish: wishes.ipFamily }),
  });
  return plan.ok ? zoneProblems(facts, plan.value.families) : [plan.refusal];
}

// A manifest that one kind of cluster takes is not wrong; else the first kind says why.
function clusterProblems(facts: Facts): readonly Refusal[] {
  const { clusterFamilies } = facts.props;
  let first: readonly Refusal[] | undefined;
  for (const families of clusterFamilies === undefined ? ANY_CLUSTER : [clusterFamilies.map(familyNumber)]) {
    const found = problemsIn(families, facts);
    if (found.length === 0) return [];
    first ??= found;
  }
  return first ?? [];
}

// What is wrong with a name that is known later, the webhook will say.
function withAnyNames(props: IpamServiceProps): IpamServiceProps {
  const late = NAMES_ONLY.filter((field) => lateBoundProblems(props[field], field).length > 0);
  return late.length === 0 ? props : { ...props, ...Object.fromEntries(late.map((field) => [field, ANY_NAME])) };
}

/**
 * Finds what the webhook would refuse, by the functions that the webhook uses.
 *
 * @param given - as given to the construct, secret and joined terms resolved
 * @returns every problem at once; where the cluster's families are unknown, only what no cluster would take
 */
function wishProblems(given: IpamServiceProps): readonly Refusal[] {
  const late = PARSED.flatMap((field) => lateBoundProblems(given[field], field));
  if (late.length > 0) return late; // whatever else is said would be about placeholders
  const props = withAnyNames(given);
  const { annotations, wishes } = wishesOf(props);
  const readable = [...annotationProblems(props), ...wishes.problems];
  // an empty catalogue is that of an operator whose zones are wrong: it reports them itself
  const zones = props.zones?.names.length === 0 ? undefined : props.zones;
  const asked = hasServiceWish(annotations) || (zones !== undefined && !isOfOtherClass(props));
  if (!asked) return readable;
  return [...readable, ...clusterProblems({ props, wishes, zones })];
}

/**
 * Fills in what stands elsewhere: the name of a generated secret, and the terms of a joined Service.
 *
 * @param props - as given to the construct
 * @param name - name of the Service
 * @returns the props as the object will have them
 */
export function resolvedProps(props: IpamServiceProps, name: string): IpamServiceProps {
  const secret = generatedSecretName(props, name);
  return withJoined(secret === undefined || props.secret !== undefined ? props : { ...props, secret });
}

/**
 * Finds what is wrong with the props: what only they can get wrong, and what the webhook would refuse.
 *
 * @param read - the props as they were read
 * @param place - name and namespace of the Service
 * @param place.name - as the object has it
 * @param place.namespace - undefined where the manifest does not say so
 * @returns every problem at once
 */
export function serviceProblems(
  read: ReadProps<IpamServiceProps>,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): readonly Refusal[] {
  const { valid, problems, malformed } = read;
  if (malformed) return problems;
  return [
    ...problems,
    ...idProblems(read, name, { judge: DNS_LABEL, code: 'wish/malformed' }),
    ...portProblems(valid.ports),
    ...podLabelProblems(valid, namespace),
    ...generatedSecretProblems(valid),
    ...excludedNamespaceProblems(valid, namespace),
    ...switchedOffProblems(valid),
    ...wishProblems(resolvedProps(valid, name)),
  ];
}
