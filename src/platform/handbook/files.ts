// Owns the list of files of the handbook, which are part of the executable. Must never read one, so that importing it is fast.

import comparison from "../../../docs/COMPARISON.md" with { type: "file" };
import concepts from "../../../docs/CONCEPTS.md" with { type: "file" };
import console from "../../../docs/CONSOLE.md" with { type: "file" };
import faq from "../../../docs/FAQ.md" with { type: "file" };
import gateway from "../../../docs/GATEWAY.md" with { type: "file" };
import operations from "../../../docs/OPERATIONS.md" with { type: "file" };
import backup from "../../../docs/operator/BACKUP.md" with { type: "file" };
import configuration from "../../../docs/operator/CONFIGURATION.md" with { type: "file" };
import dataDirectory from "../../../docs/operator/DATA-DIRECTORY.md" with { type: "file" };
import installation from "../../../docs/operator/INSTALLATION.md" with { type: "file" };
import ledger from "../../../docs/operator/LEDGER.md" with { type: "file" };
import log from "../../../docs/operator/LOG.md" with { type: "file" };
import metrics from "../../../docs/operator/METRICS.md" with { type: "file" };
import modelChange from "../../../docs/operator/MODEL-CHANGE.md" with { type: "file" };
import networkAndFiles from "../../../docs/operator/NETWORK-AND-FILES.md" with { type: "file" };
import projects from "../../../docs/operator/PROJECTS.md" with { type: "file" };
import tls from "../../../docs/operator/TLS.md" with { type: "file" };
import quickstart from "../../../docs/QUICKSTART.md" with { type: "file" };
import index from "../../../docs/README.md" with { type: "file" };
import recipesAuditADecision from "../../../docs/recipes/AUDIT-A-DECISION.md" with { type: "file" };
import recipesBackUp from "../../../docs/recipes/BACK-UP.md" with { type: "file" };
import recipesImport from "../../../docs/recipes/IMPORT.md" with { type: "file" };
import recipesNginx from "../../../docs/recipes/NGINX.md" with { type: "file" };
import recipesSeveralUsers from "../../../docs/recipes/SEVERAL-USERS.md" with { type: "file" };
import recipesTeamConventions from "../../../docs/recipes/TEAM-CONVENTIONS.md" with { type: "file" };
import api from "../../../docs/user/API.md" with { type: "file" };
import assistants from "../../../docs/user/ASSISTANTS.md" with { type: "file" };
import audit from "../../../docs/user/AUDIT.md" with { type: "file" };
import errors from "../../../docs/user/ERRORS.md" with { type: "file" };
import extraction from "../../../docs/user/EXTRACTION.md" with { type: "file" };
import frameworks from "../../../docs/user/FRAMEWORKS.md" with { type: "file" };
import hooks from "../../../docs/user/HOOKS.md" with { type: "file" };
import importing from "../../../docs/user/IMPORT.md" with { type: "file" };
import limits from "../../../docs/user/LIMITS.md" with { type: "file" };
import mcp from "../../../docs/user/MCP.md" with { type: "file" };
import promptFormat from "../../../docs/user/PROMPT-FORMAT.md" with { type: "file" };

/** Paths of the files, by their paths in docs/. */
export const handbookFiles: Readonly<Record<string, string>> = {
  "README.md": index,
  "QUICKSTART.md": quickstart,
  "CONCEPTS.md": concepts,
  "COMPARISON.md": comparison,
  "FAQ.md": faq,
  "recipes/TEAM-CONVENTIONS.md": recipesTeamConventions,
  "recipes/IMPORT.md": recipesImport,
  "recipes/AUDIT-A-DECISION.md": recipesAuditADecision,
  "recipes/BACK-UP.md": recipesBackUp,
  "recipes/SEVERAL-USERS.md": recipesSeveralUsers,
  "recipes/NGINX.md": recipesNginx,
  "user/ASSISTANTS.md": assistants,
  "user/HOOKS.md": hooks,
  "GATEWAY.md": gateway,
  "CONSOLE.md": console,
  "user/API.md": api,
  "user/EXTRACTION.md": extraction,
  "user/IMPORT.md": importing,
  "user/AUDIT.md": audit,
  "user/PROMPT-FORMAT.md": promptFormat,
  "user/MCP.md": mcp,
  "user/FRAMEWORKS.md": frameworks,
  "user/ERRORS.md": errors,
  "user/LIMITS.md": limits,
  "OPERATIONS.md": operations,
  "operator/INSTALLATION.md": installation,
  "operator/CONFIGURATION.md": configuration,
  "operator/PROJECTS.md": projects,
  "operator/TLS.md": tls,
  "operator/LEDGER.md": ledger,
  "operator/BACKUP.md": backup,
  "operator/LOG.md": log,
  "operator/METRICS.md": metrics,
  "operator/MODEL-CHANGE.md": modelChange,
  "operator/DATA-DIRECTORY.md": dataDirectory,
  "operator/NETWORK-AND-FILES.md": networkAndFiles,
};
