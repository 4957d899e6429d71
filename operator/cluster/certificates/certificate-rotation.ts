import { DAY_MS } from '../../contract/durations';
import type { Certificates, CertificateTimes } from '../../ports/certificates';
import type { KeptCertificates } from './certificate-secret';

/** Life that a CA has left when the next one is made; longer than any serving certificate. */
const AUTHORITY_LEFT_MS = 365 * DAY_MS;
/** How long both CAs are trusted before the next one issues, and again before the old one goes. */
const OVERLAP_MS = DAY_MS;
/** Part of its life after which a serving certificate is replaced. */
const RENEWED_AT = 2 / 3;

/** Result of one step; label of the metric. */
type RotationResult = 'created' | 'replaced' | 'renewed' | 'authority_made' | 'authority_taken' | 'authority_left';

/** One change of what the Secret holds, for log and metric. */
export interface RotationStep {
  readonly result: RotationResult;
  /** One sentence; never holds a key. */
  readonly message: string;
  /** Problem of the certificate that is replaced. */
  readonly problem?: string;
}

/** Wanted content of the Secret, and why it changes; no steps: it is so already. */
export interface RotationPlan {
  readonly kept: KeptCertificates;
  readonly steps: readonly RotationStep[];
}

/** Names, time and the maker of certificates. */
export interface RotationParts {
  readonly certificates: Certificates;
  /** Names that the serving certificate is for. */
  readonly names: readonly string[];
  readonly nowMs: number;
}

/**
 * Makes a CA and a serving certificate where there is nothing.
 *
 * @param parts - names, time, and the maker of certificates
 * @param step - the reason, for log and metric
 * @returns the first content of the Secret
 */
export async function begin(parts: RotationParts, step: RotationStep): Promise<RotationPlan> {
  const { certificates, nowMs } = parts;
  const authority = await certificates.makeAuthority(nowMs);
  return { kept: { authority, serving: await certificates.issue(authority, parts) }, steps: [step] };
}

/**
 * Decides what the Secret should hold now. Looks at nothing but its content and the time, so that any replica goes on where
 * another one stopped.
 *
 * ```
 *            made           trusted 24 h          24 h later
 *   trust  old | old + next ............ | old + new | new
 *   issues old | old                     | new       | new
 * ```
 *
 * @param kept - what the Secret holds
 * @param parts - names, time, and the maker of certificates
 * @returns what it should hold, and the steps to there
 */
export async function planRotation(kept: KeptCertificates, parts: RotationParts): Promise<RotationPlan> {
  const { certificates, nowMs } = parts;
  const authority = certificates.readAuthority(kept.authority);
  const problem = authority.ok ? timeProblem(authority.value, nowMs) : authority.refusal.message;
  if (!authority.ok || problem !== undefined) {
    const message = 'the CA in the Secret cannot be used; CA and serving certificate are made anew';
    return begin(parts, { result: 'replaced', message, ...(problem === undefined ? {} : { problem }) });
  }
  const healed = healOthers({ kept, steps: [] }, parts);
  return serve(await rotate(healed, authority.value, parts), parts);
}

function healOthers({ kept, steps }: RotationPlan, { certificates, nowMs }: RotationParts): RotationPlan {
  const { next, previous, ...others } = kept;
  const found: RotationStep[] = [...steps];
  const usable = (what: string, read: ReturnType<Certificates['readAuthority']>): boolean => {
    if (!read.ok)
      found.push({ result: 'replaced', message: `the ${what} CA is dropped`, problem: read.refusal.message });
    return read.ok;
  };
  const keepNext = next !== undefined && usable('next', certificates.readAuthority(next.authority));
  const keepPrevious = previous !== undefined && usable('previous', certificates.readAuthority(previous));
  if (keepPrevious && previous.sinceMs === undefined)
    found.push({ result: 'replaced', message: 'the previous CA has no time of its end; it stays another day' });
  const healed: KeptCertificates = {
    ...others,
    ...(keepNext ? { next } : {}),
    ...(keepPrevious ? { previous: { ...previous, sinceMs: previous.sinceMs ?? nowMs } } : {}),
  };
  return { kept: healed, steps: found };
}

async function rotate(plan: RotationPlan, times: CertificateTimes, parts: RotationParts): Promise<RotationPlan> {
  const { certificates, nowMs } = parts;
  const { next, previous, ...others } = plan.kept;
  const overlapped = (sinceMs: number | undefined): boolean => sinceMs !== undefined && nowMs - sinceMs >= OVERLAP_MS;
  const then = (kept: KeptCertificates, result: RotationResult, message: string): RotationPlan => ({
    kept,
    steps: [...plan.steps, { result, message }],
  });
  if (previous !== undefined) {
    if (!overlapped(previous.sinceMs)) return plan;
    return then(
      { ...others, ...(next === undefined ? {} : { next }) },
      'authority_left',
      'the previous CA is no longer trusted',
    );
  }
  if (next === undefined) {
    if (times.endsMs - nowMs > AUTHORITY_LEFT_MS) return plan;
    const made = { authority: await certificates.makeAuthority(nowMs) };
    return then({ ...others, next: made }, 'authority_made', 'the CA ends within a year; the next one is made');
  }
  if (!overlapped(next.trustedSinceMs)) return plan;
  const taken: KeptCertificates = {
    authority: next.authority,
    serving: await certificates.issue(next.authority, parts),
    previous: { certificate: others.authority.certificate, sinceMs: nowMs },
  };
  return then(taken, 'authority_taken', 'the next CA issues from now on');
}

async function serve(plan: RotationPlan, parts: RotationParts): Promise<RotationPlan> {
  const { kept, steps } = plan;
  const { certificates, nowMs } = parts;
  const request = { authority: kept.authority.certificate, names: parts.names };
  const read = certificates.readServing(kept.serving, request);
  const issue = async (step: RotationStep, names: readonly string[] = parts.names): Promise<RotationPlan> => ({
    kept: { ...kept, serving: await certificates.issue(kept.authority, { names, nowMs }) },
    steps: [...steps, step],
  });
  if (!read.ok) {
    const message = 'the serving certificate in the Secret cannot be used; it is made anew';
    return issue({ result: 'replaced', message, problem: read.refusal.message });
  }
  const { beginsMs, endsMs, names, missing } = read.value;
  if (missing.length > 0) {
    const message = 'the serving certificate lacks names of the settings; it is made anew';
    // The old names stay until the next renewal: replicas of an older release may still want them, and would take turns with us.
    return issue({ result: 'replaced', message, problem: missing.join(', ') }, [...parts.names, ...names]);
  }
  if (nowMs < beginsMs || nowMs >= beginsMs + (endsMs - beginsMs) * RENEWED_AT)
    return issue({ result: 'renewed', message: 'the serving certificate is renewed' });
  return plan;
}

// A clock that is far off cannot get here: its client refuses the certificate of the API server first.
function timeProblem({ beginsMs, endsMs }: CertificateTimes, nowMs: number): string | undefined {
  if (nowMs >= endsMs) return `the CA ended at ${new Date(endsMs).toISOString()}`;
  if (nowMs < beginsMs) return `the CA begins at ${new Date(beginsMs).toISOString()}`;
  return undefined;
}
