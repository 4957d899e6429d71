import type { Family } from '../addressing/address';
import type { IpFamilyWish } from '../contract/service-annotations';
import { accept, refuse, type Outcome } from '../errors/outcome';
import {
  dualNeedsPolicy,
  FAMILY_FIELDS,
  familyConflict,
  familyName,
  familyNames,
  isDualPolicy,
  otherFamily,
  singleStackCluster,
  wishedFamily,
  type FamilyFacts,
  type FamilyPlan,
} from './family-facts';

type PolicyChange = 'up' | 'down' | 'none';

const { policy: POLICY, families: FAMILIES, annotation: ANNOTATION } = FAMILY_FIELDS;

/**
 * Decides which families a stored Service has after an UPDATE: what the API server stored, unless the policy changes.
 *
 * @param facts - new spec, stored object, annotation and the cluster's families
 * @param before - stored families, the primary one first; at least one
 * @returns the plan; or refusal `wish/family`, `wish/immutable`
 */
export function planStoredFamilies(facts: FamilyFacts, before: readonly Family[]): Outcome<FamilyPlan> {
  const first = before[0] ?? 4;
  const primary = facts.spec.ipFamilies[0] ?? first;
  if (primary !== first) {
    const move = `from ${familyName(first)} to ${familyName(primary)}`;
    return immutable(
      FAMILIES,
      `${FAMILIES}: the primary family of a stored Service cannot change ${move}; make a new Service`,
    );
  }
  const change = policyChange(facts);
  const families = familiesAfter(facts, { before, change });
  if (!families.ok) return families;
  // a change of the policy is itself a wish; an annotation that its user wrote is another one, touched by this UPDATE or not
  const problem = facts.wish === undefined ? undefined : wishProblem(facts.wish, families.value, facts);
  if (problem !== undefined) return problem;
  return accept({ families: families.value, ...unfulfilled(facts, families.value) });
}

function policyChange({ spec, stored }: FamilyFacts): PolicyChange {
  if (spec.ipFamilyPolicy === undefined) return 'none'; // a PUT without it keeps the stored one
  const [was, is] = [isDualPolicy(stored?.ipFamilyPolicy), isDualPolicy(spec.ipFamilyPolicy)];
  if (was === is) return 'none';
  return is ? 'up' : 'down';
}

function familiesAfter(
  { spec, clusterFamilies }: FamilyFacts,
  { before, change }: { before: readonly Family[]; change: PolicyChange },
): Outcome<readonly Family[]> {
  const first = before.slice(0, 1);
  if (change === 'down') return accept(first);
  if (change === 'none') {
    if (spec.ipFamilies.length <= before.length) return accept(before);
    const policies = `${POLICY} PreferDualStack or RequireDualStack in the same change`;
    return familyConflict(FAMILIES, `${FAMILIES}: a second family needs ${policies}`);
  }
  if (before.length > 1) return accept(before);
  if (clusterFamilies.length > 1) return accept([...first, ...first.map(otherFamily)]);
  return spec.ipFamilyPolicy === 'PreferDualStack' ? accept(first) : singleStackCluster(POLICY, clusterFamilies);
}

function wishProblem(
  wish: IpFamilyWish,
  families: readonly Family[],
  { clusterFamilies }: FamilyFacts,
): Outcome<never> | undefined {
  if (wish === 'dual') {
    if (families.length > 1) return undefined;
    return clusterFamilies.length > 1 ? dualNeedsPolicy() : singleStackCluster(ANNOTATION, clusterFamilies);
  }
  const first = families[0] ?? 4;
  const said = `${ANNOTATION} is "${wish}" but the Service is stored with`;
  if (wishedFamily(wish) !== first) {
    return immutable(
      ANNOTATION,
      `${said} primary family ${familyName(first)}, which cannot change; make a new Service`,
    );
  }
  if (families.length === 1) return undefined;
  const help = `set ${POLICY}: SingleStack in the same change, or keep "dual"`;
  return familyConflict(ANNOTATION, `${said} two families (${familyNames(families)}); ${help}`);
}

// PreferDualStack beside one cluster IP: MetalLB loops where a pool has a free address of the other family.
function unfulfilled(
  { spec, stored, clusterFamilies }: FamilyFacts,
  families: readonly Family[],
): Pick<FamilyPlan, 'unfulfilled'> {
  const policy = spec.ipFamilyPolicy ?? stored?.ipFamilyPolicy;
  const alone = families.length === 1 && policy === 'PreferDualStack' && clusterFamilies.length < 2;
  return alone ? { unfulfilled: otherFamily(families[0] ?? 4) } : {};
}

function immutable(field: string, message: string): Outcome<never> {
  return refuse('wish/immutable', message, { field });
}
