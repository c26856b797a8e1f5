// Owns the order in which projects use a shared resource: round robin between projects, first in, first out within a project, with a
// limit for each project and one for all projects. Must never run the items.

import { Refusal, unavailable } from "../errors.ts";

export interface QueueLimits {
  /** The plural noun for the items, for messages. */
  readonly items: string;
  /** Maximum number of waiting items of one project. */
  readonly perProject: number;
  /** Maximum number of waiting items of all projects. */
  readonly total: number;
  readonly retryAfterSeconds: number;
}

/** A call, or the server itself, that waits for its turn. */
export interface Waiter {
  /** Id of the project. */
  readonly project: string;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Work of the server itself, such as a health check, is scheduled like a project of its own. */
export const serverItself: Waiter = { project: "server", signal: new AbortController().signal };

export interface Queued {
  /** Called when the item is removed before its turn. */
  refuse(reason: Refusal): void;
}

/** Plain counts. */
export interface QueueCounts {
  /** Number of items that wait now. */
  readonly waiting: number;
  /** Items that were refused since the start because their project had too many items waiting. */
  readonly refusedOfProject: number;
  /** Items that were refused since the start because all projects had too many. */
  readonly refusedOfAll: number;
}

export class FairQueue<Item extends Queued> {
  readonly #limits: QueueLimits;
  /** In the order of their turns. Contains only projects with waiting items. */
  readonly #projects = new Map<string, Set<Item>>();
  #size = 0;
  #refusedOfProject = 0;
  #refusedOfAll = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#size;
  }

  /** Number of waiting items of a project. */
  sizeOf(project: string): number {
    return this.#projects.get(project)?.size ?? 0;
  }

  get counts(): QueueCounts {
    return {
      waiting: this.#size,
      refusedOfProject: this.#refusedOfProject,
      refusedOfAll: this.#refusedOfAll,
    };
  }

  /** Number of projects with waiting items. */
  get projects(): number {
    return this.#projects.size;
  }

  /**
   * Adds an item after the others of its project. When the queue is full, the newest item of the project with the most items is refused,
   * so that no other project is refused because of it.
   * @throws Refusal 1429 when the project has reached its limit; 1503 when the queue is full and no other project has more items
   */
  add(project: string, item: Item): void {
    const items = this.#projects.get(project) ?? new Set();
    if (items.size >= this.#limits.perProject) throw this.#tooManyOfProject();
    if (this.#size >= this.#limits.total) this.#evict(items.size);
    this.#projects.set(project, items.add(item));
    this.#size += 1;
  }

  /** The next item in turn. */
  peek(): Item | undefined {
    for (const [item] of this.#projects.values()) return item;
    return undefined;
  }

  /** Removes the next item that `accepts` accepts. A project that is skipped keeps its position in the order. */
  take(accepts: (project: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [project, items] of this.#projects) {
      const [item] = items;
      if (item === undefined || !accepts(project, item)) continue;
      this.remove(project, item);
      // The project moves to the end of the order.
      if (this.#projects.delete(project)) this.#projects.set(project, items);
      return item;
    }
    return undefined;
  }

  /** @returns false when the item is no longer waiting */
  remove(project: string, item: Item): boolean {
    const items = this.#projects.get(project);
    if (items?.delete(item) !== true) return false;
    if (items.size === 0) this.#projects.delete(project);
    this.#size -= 1;
    return true;
  }

  /** Removes all items and refuses them. */
  drain(reason: Refusal): void {
    const all = [...this.#projects.values()].flatMap((items) => [...items]);
    this.#projects.clear();
    this.#size = 0;
    for (const item of all) item.refuse(reason);
  }

  /** Refuses the newest item of the project with the most items. @throws Refusal 1503 when that would be the new item itself */
  #evict(itemsOfProject: number): void {
    this.#refusedOfAll += 1;
    const full = unavailable(
      `The server is busy: too many ${this.#limits.items} are waiting. Retry the call later.`,
      this.#limits.retryAfterSeconds,
    );
    const [[longest, items] = []] = [...this.#projects].sort(([, a], [, b]) => b.size - a.size);
    const newest = items === undefined ? undefined : [...items].at(-1);
    if (longest === undefined || items === undefined || newest === undefined) throw full;
    if (items.size <= itemsOfProject + 1) throw full;
    this.remove(longest, newest);
    newest.refuse(full);
  }

  #tooManyOfProject(): Refusal {
    this.#refusedOfProject += 1;
    const { items, perProject, retryAfterSeconds } = this.#limits;
    const message = `This project has reached the maximum of ${perProject} waiting ${items}. Wait for answers before you send more calls.`;
    return new Refusal(1429, message, {}, retryAfterSeconds);
  }
}
